import type { ChartData } from './chart'

/** A value with its unit. */
export const word = (value: number, unit: string) => `${Number(value.toFixed(1))}${unit && ` ${unit}`}`

/** The chart in one sentence, for screen readers. */
export const summaryOf = (title: string, { series, unit = '', limits = [], marks = [] }: ChartData): string => {
  const lines = series.flatMap(({ label, values }) => {
    const known = values.filter((value) => value !== null)
    const last = known.at(-1)
    if (last === undefined) return []
    return [
      `${label} last ${word(last, unit)}, lowest ${word(Math.min(...known), unit)}, highest ${word(Math.max(...known), unit)}`,
    ]
  })
  const limit = limits.map((value) => `limit ${word(value, unit)}`)
  const marked = marks.map((mark) => mark.label)
  return `${title}: ${[...lines, ...limit, ...marked].join('; ')}`
}
