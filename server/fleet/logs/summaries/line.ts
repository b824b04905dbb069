/** A stored line, as far as a summary looks at it. `level` is an index of the eight syslog levels: smaller is worse. */
export type Line = {
  sequence: number
  tsMs: number
  level: number
  unit: string | null
  bootId: string | null
  message: string
}

export const ERROR = 3
export const WARNING = 4
