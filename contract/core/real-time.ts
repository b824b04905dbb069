/**
 * Whether a time with an offset (ISO 8601, or as PostgreSQL prints it) exists in the calendar, in the years 1970 to 9999 of UTC.
 * `Date.parse` alone moves the 30th of February into March.
 */
export const isRealTime = (text: string): boolean => {
  const read = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:Z|([+-]\d\d)(?::?(\d\d))?)$/.exec(text)
  if (!read) return false
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, offset = 0, offsetMinutes = 0] = read
    .slice(1)
    .map((part) => Number(part ?? 0))
  const ranges = month >= 1 && month <= 12 && hour <= 23 && minute <= 59 && second <= 59 && Math.abs(offset) <= 14
  if (!ranges || offsetMinutes > 59 || day < 1 || day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return false
  const utcYear = new Date(Date.UTC(year, month - 1, day, hour - offset)).getUTCFullYear()
  return utcYear >= 1970 && utcYear <= 9999
}
