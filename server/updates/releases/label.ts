/** The name under which people know a version: "2.6.0", or "v7" for one without a display version. */
export const labelOf = ({ displayVersion, version }: { displayVersion: string | null; version: number }): string =>
  displayVersion ?? `v${version}`
