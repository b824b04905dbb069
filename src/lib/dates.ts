import { differenceInSeconds } from 'date-fns/differenceInSeconds'
import { formatISO } from 'date-fns/formatISO'
import { lightFormat } from 'date-fns/lightFormat'
import { isValid } from 'date-fns/isValid'

/** §8: invalid text gives an Invalid Date, never an exception. */
export const parseTime = (text: string): Date => {
  // §3: yyyy-MM-dd'T'HH:mm:ssxxx, with an offset: a time without one is refused.
  const shaped = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/.test(text)
  return new Date(shaped ? text : Number.NaN)
}

const invalid = 'Invalid Date'

/** §3: the default display, MM/dd/yyyy hh:mm a, in the reader's own zone. */
export const formatDate = (date: Date): string => (isValid(date) ? lightFormat(date, 'MM/dd/yyyy hh:mm a') : invalid)

/** Offset of the reader's zone at that moment: +02:00. */
export const formatOffset = (date: Date): string => formatISO(date).slice('yyyy-MM-ddTHH:mm:ss'.length).replace('Z', '+00:00')

/** The exact time, for the hover of a relative one. `lightFormat` has no locales and no offset: a tenth of the bytes. */
export const formatExact = (date: Date): string =>
  isValid(date) ? `${lightFormat(date, 'MM/dd/yyyy hh:mm:ss a')} ${formatOffset(date)}` : invalid

/** HH:mm:ss, for logs and events. */
export const formatClock = (date: Date): string => (isValid(date) ? lightFormat(date, 'HH:mm:ss') : invalid)

/** One unit: "18 s ago", "3 min ago", "6 h ago", "12 d ago". A future time gives "now", never a negative one. */
export const formatAgo = (date: Date, now: Date): string => {
  if (!isValid(date)) return invalid
  const s = differenceInSeconds(now, date)
  if (s < 1) return 'now'
  if (s < 60) return `${s} s ago`
  if (s < 3600) return `${Math.floor(s / 60)} min ago`
  if (s < 86_400) return `${Math.floor(s / 3600)} h ago`
  return `${Math.floor(s / 86_400)} d ago`
}

/** For future times: "in 11 d". A past one gives "now". */
export const formatAhead = (date: Date, now: Date): string => {
  if (!isValid(date)) return invalid
  const ago = formatAgo(now, date)
  return ago === 'now' ? ago : `in ${ago.slice(0, -' ago'.length)}`
}
