import type { MetricGrouping, Series } from '../../../contract/overview/monitor'
import type { Tx } from '../../core/database/tx'
import { type Aggregation, mostSeries, requireFewSeries, type Span } from './buckets'
import { bucketsOf, subtractSums, sumRows } from './fleet-series'
import { listGroupMetrics, listGroups, listTagNames } from './group-series.repository'
import { seriesToJson } from './series'

type Labels = Series['series'][number]['labels']
type Asked = {
  projectId: string
  kind: Exclude<MetricGrouping, 'none'>
  /** So many groups, and the others as one; undefined: all of them. */
  top: number | undefined
  names: readonly string[]
  aggs: readonly Aggregation[]
  units: ReadonlyMap<string, string>
  span: Span
}

/** The groups with names for people; tags that were deleted meanwhile are left out. */
const nameGroups = async (tx: Tx, kind: Asked['kind'], values: readonly string[]): Promise<[value: string, name: string][]> => {
  if (kind !== 'tag') return values.map((value) => [value, value])
  const names = await listTagNames(
    tx,
    values.filter((id) => id !== ''),
  )
  return values.flatMap((value): [string, string][] => {
    const name = value === '' ? '' : names.get(value)
    return name === undefined ? [] : [[value, name]]
  })
}

/** Series of each group; 422 too_many_series for more than 20. */
export const readGroupSeries = async (tx: Tx, { projectId, kind, top, ...asked }: Asked): Promise<Series> => {
  const { names, aggs, span } = asked
  const place = { projectId, names, span }
  const most = top ?? mostSeries
  const found = await listGroups(tx, { ...place, kind }, most)
  const isCut = found.length > most
  const withOther = isCut && top !== undefined && kind !== 'tag'
  const shown = await nameGroups(tx, kind, isCut && top !== undefined ? found.slice(0, most) : found)
  requireFewSeries(names.length * aggs.length * (shown.length + (withOther ? 1 : 0)))
  const rows = await listGroupMetrics(
    tx,
    { ...place, kind },
    shown.map(([value]) => value),
  )
  const parts = shown.map(([value, name]) => {
    const labels: Labels = { [kind]: name }
    return {
      labels,
      sums: sumRows(
        rows.filter((row) => row.value === value),
        span,
      ),
    }
  })
  if (withOther) {
    const whole = sumRows(await listGroupMetrics(tx, { ...place, kind: 'all' }, ['']), span)
    parts.push({
      labels: { other: true },
      sums: subtractSums(
        whole,
        parts.map(({ sums }) => sums),
      ),
    })
  }
  const answers = parts.map(({ labels, sums }) => seriesToJson({ ...asked, labels }, bucketsOf(sums)))
  return { from: span.from, to: span.to, step_s: span.stepS, series: answers.flatMap(({ series }) => series) }
}
