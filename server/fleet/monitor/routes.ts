import { and, eq, isNull, sql } from 'drizzle-orm'
import * as contract from '../../../contract/monitor'
import { planLimits } from '../../../contract/plans'
import { devices } from '../schema/devices'
import { latestMetrics } from '../schema/telemetry'
import type { Api } from '../../core/http/api'
import { notFound } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { daysBefore } from '../../core/days'
import { isCounter } from '../telemetry/points'
import { spanOf, wantedOf } from './buckets'
import { deviceBuckets } from './device-series'
import { fleetBuckets } from './fleet-series'
import { seriesOf } from './series'

const fleetStepS = 60
const deviceStepS = 10

export const monitorRoutes = (api: Api): void => {
  route(api, contract.projectMetricNames, async ({ tx, project }) => {
    const { name, unit } = latestMetrics
    const rows = await tx
      .select({ name, unit: sql<string | null>`max(${unit})`, devices: sql<number>`count(*)` })
      .from(latestMetrics)
      .where(eq(latestMetrics.projectId, project.id))
      .groupBy(name)
      .orderBy(name)
    return { metric_names: rows.map((row) => ({ ...row, kind: isCounter(row.name) ? 'counter' : 'gauge' })) }
  })

  route(api, contract.projectMetrics, async ({ tx, project, query, now }) => {
    const wanted = wantedOf(query)
    const span = spanOf(query, fleetStepS)
    const buckets = await fleetBuckets(tx, project.id, wanted.names, span, now)
    return seriesOf(tx, { projectId: project.id, ...wanted, span }, buckets)
  })

  route(api, contract.deviceMetrics, async ({ tx, project, params: { deviceId }, query, now }) => {
    const alive = and(eq(devices.id, deviceId), isNull(devices.deletedAt))
    const [device] = await tx.select({ id: devices.id }).from(devices).where(alive)
    if (!device) return notFound()
    const wanted = wantedOf(query)
    const span = spanOf(query, deviceStepS)
    const asked = { projectId: project.id, deviceId, ...wanted, span }
    const rawSince = daysBefore(now, planLimits[project.plan].metrics_raw_days)
    return seriesOf(tx, asked, await deviceBuckets(tx, asked, rawSince))
  })
}
