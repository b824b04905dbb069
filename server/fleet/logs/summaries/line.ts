/** The fields of a stored line that a summary uses. `level` is an index of the eight syslog levels: smaller is worse. */
export type SummaryLine = {
  sequence: number
  tsMs: number
  /** Time of arrival by the clock of the server; the lines of one batch have the same. */
  receivedMs: number
  level: number
  unit: string | null
  bootId: string | null
  message: string
}

/** At most `most` UTF-16 units of a text. A lone high surrogate at the end is dropped: PostgreSQL refuses it in JSON. */
export const beginning = (text: string, most: number): string => text.slice(0, most).replace(/[\ud800-\udbff]$/, '')

export const ERROR = 3
export const WARNING = 4
