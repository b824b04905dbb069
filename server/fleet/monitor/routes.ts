import * as contract from '../../../contract/monitor'
import { planLimits } from '../../../contract/plan-limits'
import type { Api } from '../../core/http/api'
import { routeWithLag } from '../../core/http/route'
import { daysBefore } from '../../core/days'
import { getDevice } from '../devices/repository'
import { listMetricNames, listMetricUnits } from '../telemetry/metrics.repository'
import { isCounter } from '../telemetry/points'
import { spanOf, parseSeries } from './buckets'
import { listDeviceBuckets } from './device-series.repository'
import { fleetBuckets } from './fleet-series'
import { listFleetMetrics } from './fleet-series.repository'
import { seriesToJson } from './series'

const fleetStepS = 60
const deviceStepS = 10

export const monitorRoutes = (api: Api): void => {
  routeWithLag(api, contract.projectMetricNames, async ({ tx, project }) => {
    const rows = await listMetricNames(tx, project.id)
    return { metric_names: rows.map((row) => ({ ...row, kind: isCounter(row.name) ? 'counter' : 'gauge' })) }
  })

  routeWithLag(api, contract.projectMetrics, async ({ tx, project, query }) => {
    const wanted = parseSeries(query)
    const span = spanOf(query, fleetStepS)
    const buckets = fleetBuckets(await listFleetMetrics(tx, project.id, wanted.names, span), span)
    const units = await listMetricUnits(tx, project.id, wanted.names)
    return seriesToJson({ ...wanted, units, span }, buckets)
  })

  routeWithLag(api, contract.deviceMetrics, async ({ tx, project, params: { deviceId }, query, now }) => {
    await getDevice(tx, deviceId)
    const wanted = parseSeries(query)
    const span = spanOf(query, deviceStepS)
    const rawSince = daysBefore(now, planLimits[project.plan].metrics_raw_days)
    const buckets = await listDeviceBuckets(tx, { projectId: project.id, deviceId, names: wanted.names, span }, rawSince)
    const units = await listMetricUnits(tx, project.id, wanted.names)
    return seriesToJson({ deviceId, ...wanted, units, span }, buckets)
  })
}
