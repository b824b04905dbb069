/** Every label that stands in the sources, gathered by the build (src/build/static-labels.ts). */
declare module 'virtual:static-labels' {
  export const labels: readonly string[]
}
