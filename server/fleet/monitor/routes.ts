import * as contract from '../../../contract/overview/monitor'
import { planLimits } from '../../../contract/accounts/plan-limits'
import type { Api } from '../../core/http/api'
import { routeWithLag } from '../../core/http/route'
import type { ProjectScope } from '../../core/http/scope'
import { daysBefore } from '../../core/days'
import { formatTimestamp } from '../../core/timestamps'
import { getDevice } from '../devices/repository'
import { listLatestMetrics, listMetricNames, listMetricUnits } from '../telemetry/metrics.repository'
import { isCounter } from '../telemetry/points'
import { keptSpanOf, parseSeries } from './buckets'
import { listDeviceBuckets } from './device-series.repository'
import { bucketsOf, sumRows } from './fleet-series'
import { listFleetMetrics } from './fleet-series.repository'
import { readGroupSeries } from './group-series'
import { seriesToJson } from './series'

const fleetStepS = 60
const groupStepS = 300
const deviceStepS = 10
const rawSinceOf = ({ plan }: Pick<ProjectScope, 'plan'>, now: Date) => daysBefore(now, planLimits[plan].metrics_raw_days)
const kindOf = (name: string) => (isCounter(name) ? 'counter' : 'gauge')

export const monitorRoutes = (api: Api): void => {
  routeWithLag(api, contract.projectMetricNames, async ({ tx, project }) => {
    const rows = await listMetricNames(tx, project.id)
    return { metric_names: rows.map((row) => ({ ...row, kind: kindOf(row.name) })) }
  })

  routeWithLag(api, contract.projectMetrics, async ({ tx, project, query, now }) => {
    const wanted = parseSeries(query)
    const { group_by: kind = 'none', top } = query
    const units = await listMetricUnits(tx, project.id, wanted.names)
    if (kind !== 'none') {
      const span = keptSpanOf(query, groupStepS, rawSinceOf(project, now))
      return readGroupSeries(tx, { projectId: project.id, kind, top, ...wanted, units, span })
    }
    const span = keptSpanOf(query, fleetStepS, rawSinceOf(project, now))
    const sums = sumRows(await listFleetMetrics(tx, project.id, wanted.names, span), span)
    return seriesToJson({ labels: {}, ...wanted, units, span }, bucketsOf(sums))
  })

  routeWithLag(api, contract.deviceMetricNames, async ({ tx, params }) => {
    const device = await getDevice(tx, params.deviceId)
    const rows = await listLatestMetrics(tx, device.id)
    return {
      metric_names: rows.map(({ name, unit, at, value }) => ({
        name,
        unit,
        kind: kindOf(name),
        at: formatTimestamp(new Date(at)),
        value,
      })),
    }
  })

  routeWithLag(api, contract.deviceMetrics, async ({ tx, project, params: { deviceId }, query, now }) => {
    await getDevice(tx, deviceId)
    const wanted = parseSeries(query)
    const rawSince = rawSinceOf(project, now)
    const span = keptSpanOf(query, deviceStepS, rawSince)
    const asked = { projectId: project.id, deviceId, names: wanted.names, span, isHourly: query.from < rawSince.getTime() }
    const buckets = await listDeviceBuckets(tx, asked, now)
    const units = await listMetricUnits(tx, project.id, wanted.names)
    return seriesToJson({ labels: { device_id: deviceId }, ...wanted, units, span }, buckets)
  })
}
