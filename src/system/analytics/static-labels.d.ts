/** Every fixed label of the sources, extracted by the build (src/build/static-labels.ts). */
declare module 'virtual:static-labels' {
  export const labels: readonly string[]
}
