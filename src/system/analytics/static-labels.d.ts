/** Every label that stands in the sources, gathered by the build (server/start/static-labels.mjs). */
declare module 'virtual:static-labels' {
  export const labels: readonly string[]
}
