import { formatDate } from '../../lib/dates'

const two = (value: number) => String(value).padStart(2, '0')

/** The offset of the reader's zone on that day, as in server times. */
const offsetOf = (date: Date) => {
  const minutes = -date.getTimezoneOffset()
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`
}

/** A day of the reader's calendar (yyyy-MM-dd) as its first or last second. */
export const startOf = (day: string): string => `${day}T00:00:00${offsetOf(new Date(`${day}T00:00:00`))}`
export const endOf = (day: string): string => `${day}T23:59:59${offsetOf(new Date(`${day}T23:59:59`))}`

/** The day of a server time, in the format of a date control. */
export const dayOf = (time: string | undefined): string => {
  if (time === undefined) return ''
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? '' : `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** The day that many days earlier. */
export const daysBack = (now: Date, days: number): string =>
  dayOf(new Date(now.getFullYear(), now.getMonth(), now.getDate() - days, 12).toISOString())

const shown = (time: string) => formatDate(new Date(time)).slice(0, 10)

/** "11/20/2026", "11/13/2026 – 11/20/2026", "since …", "until …". */
export const rangeWords = (from: string | undefined, to: string | undefined): string => {
  if (from !== undefined && to !== undefined) return shown(from) === shown(to) ? shown(from) : `${shown(from)} – ${shown(to)}`
  if (from !== undefined) return `since ${shown(from)}`
  return to === undefined ? '' : `until ${shown(to)}`
}
