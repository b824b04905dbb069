import { refuse, refuseField } from '../../core/http/refuse'

export type Span = { from: number; to: number; stepS: number }
const aggregations = ['avg', 'min', 'max', 'p50', 'p95'] as const
export type Aggregation = (typeof aggregations)[number]

const mostPoints = 1000
export const mostSeries = 20
const wished = 240
const steps = [10, 30, 60, 300, 900, 1800, 3600, 10_800, 21_600, 43_200, 86_400]
const longestMs = 400 * 86_400_000

type Query = { from: number; to: number; step_s?: number | undefined }

/** The buckets of a query: aligned to their step, at most 1,000 of them. Without a requested step there are some 240. */
export const spanOf = ({ from, to, step_s }: Query, leastS: number): Span => {
  if (to <= from || to - from > longestMs) refuseField('to', 'range', 'To must be after from, by 400 days at most')
  const fits = (stepS: number, points: number) => (to - from) / (stepS * 1000) <= points
  const standard = steps.find((stepS) => stepS >= leastS && fits(stepS, wished)) ?? 86_400
  const stepS = Math.max(leastS, step_s ?? standard)
  const stepMs = stepS * 1000
  const span = { from: Math.floor(from / stepMs) * stepMs, to: Math.ceil(to / stepMs) * stepMs, stepS }
  if ((span.to - span.from) / stepMs > mostPoints)
    refuseField('step_s', 'range', `At most ${mostPoints} points in a series: choose a longer step`)
  return span
}

const hourS = 3600

/** The same, of whole hours if it begins before the time since when anything shorter is kept. */
export const keptSpanOf = (query: Query, leastS: number, rawSince: Date): Span => {
  if (query.from >= rawSince.getTime()) return spanOf(query, leastS)
  const { step_s } = query
  return spanOf({ ...query, step_s: step_s === undefined ? undefined : Math.ceil(step_s / hourS) * hourS }, hourS)
}

export const timesOf = ({ from, to, stepS }: Span): number[] =>
  Array.from({ length: (to - from) / (stepS * 1000) }, (_, n) => from + n * stepS * 1000)

const isAggregation = (name: string): name is Aggregation => (aggregations as readonly string[]).includes(name)

export const requireFewSeries = (series: number): void => {
  if (series > mostSeries)
    refuse(422, 'too_many_series', { message: `At most ${mostSeries} series at once`, about: { limit: mostSeries } })
}

/** The requested series by name and aggregation; 422 too_many_series beyond 20. */
export const parseSeries = ({ names, agg = 'avg' }: { names: string; agg?: string | undefined }) => {
  const split = (text: string) => [...new Set(text.split(',').map((name) => name.trim()))].filter((name) => name !== '')
  const ways = split(agg)
  const unknown = ways.find((name) => !isAggregation(name))
  if (unknown !== undefined) refuseField('agg', 'not_listed', `Aggregation must be one of ${aggregations.join(', ')}`)
  const wanted = { names: split(names), aggs: ways.filter(isAggregation) }
  requireFewSeries(wanted.names.length * wanted.aggs.length)
  return wanted
}
