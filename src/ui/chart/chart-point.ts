import { shorten } from '../../lib/amounts'
import { formatClock, formatDate } from '../../lib/dates'
import type { ChartData } from './chart'

/** In seconds: in a longer range a time needs its day. */
const longSpanS = 48 * 3600

export const amount = (value: number): string => {
  // §8: values that are no number have no sign and no decimals either.
  if (!Number.isFinite(value)) return shorten(value)
  const size = Math.abs(value)
  const text = size >= 1000 ? shorten(size) : String(Number(size.toFixed(2)))
  return value < 0 ? `−${text}` : text
}

/** A label of the time axis: the day in a long span, otherwise the time, with seconds where labels are less than a minute apart. */
export const timeWord = (seconds: number, span: number, step: number) => {
  const date = new Date(seconds * 1000)
  if (span > longSpanS) return formatDate(date).slice(0, 5)
  return step < 60 ? formatClock(date) : formatClock(date).slice(0, 5)
}

/** The values of one time, for the label that follows the pointer. */
export const describePoint = ({ times, series, unit }: ChartData, index: number): string => {
  const time = times[index]
  if (time === undefined) return ''
  const date = new Date(time * 1000)
  const isLong = (times.at(-1) ?? time) - (times[0] ?? time) > longSpanS
  const values = series.map(({ label, values: line, upper }) => {
    const edge = upper?.[index]
    const value = line[index]
    return `${label} ${value == null ? '–' : amount(value)}${edge == null ? '' : ` to ${amount(edge)}`}`
  })
  return [isLong ? formatDate(date) : formatClock(date), ...values].join(' · ') + (unit ? ` ${unit}` : '')
}
