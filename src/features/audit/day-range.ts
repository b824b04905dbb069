import { isValid } from 'date-fns/isValid'
import { lightFormat } from 'date-fns/lightFormat'
import { startOfDay } from 'date-fns/startOfDay'
import { subDays } from 'date-fns/subDays'
import { formatDate, formatOffset } from '../../lib/dates'

const toDay = (date: Date) => lightFormat(date, 'yyyy-MM-dd')
const midnight = (day: string) => new Date(`${day}T00:00:00`)

const toTime = (date: Date) => `${lightFormat(date, "yyyy-MM-dd'T'HH:mm:ss")}${formatOffset(date)}`

/** The first and the last second of a day of the reader's calendar (yyyy-MM-dd), also where clocks change at midnight. */
export const startOf = (day: string): string => toTime(midnight(day))
export const endOf = (day: string): string => toTime(new Date(startOfDay(subDays(midnight(day), -1)).getTime() - 1000))

/** The day of a server time, in the format of a date control. */
export const dayOf = (time: string | undefined): string => {
  const date = new Date(time ?? Number.NaN)
  return isValid(date) ? toDay(date) : ''
}

/** The day that many days earlier. */
export const daysAgo = (now: Date, days: number): string => toDay(subDays(now, days))

const shown = (time: string) => formatDate(new Date(time)).slice(0, 10)

/** "11/20/2026", "11/13/2026 – 11/20/2026", "since …", "until …". */
export const formatDayRange = (from: string | undefined, to: string | undefined): string => {
  if (from !== undefined && to !== undefined) return shown(from) === shown(to) ? shown(from) : `${shown(from)} – ${shown(to)}`
  if (from !== undefined) return `since ${shown(from)}`
  return to === undefined ? '' : `until ${shown(to)}`
}
