import { and, eq, isNull } from 'drizzle-orm'
import * as contract from '../../../../contract/log-summaries'
import { devices } from '../../schema/devices'
import { logSummaries } from '../../schema/log-summaries'
import type { Tx } from '../../../core/database/tx'
import type { Api } from '../../../core/http/api'
import { notFound, refuseField } from '../../../core/http/refuse'
import { route } from '../../../core/http/route'
import { listSummaries, makeSummary, summaryById, logSummaryToJson } from './repository'
import { plaintextOf } from './plaintext'

const longestMs = 31 * 86_400_000

const spanOf = (from: string, to: string): { from: Date; to: Date } => {
  const span = { from: new Date(from), to: new Date(to) }
  const ms = span.to.getTime() - span.from.getTime()
  if (ms <= 0) refuseField('to', 'range', 'To must be after from')
  if (ms > longestMs) refuseField('from', 'range', 'A summary spans at most 31 days')
  return span
}

const deviceOf = async (tx: Tx, id: string) => {
  const [device] = await tx
    .select({ id: devices.id, projectId: devices.projectId, name: devices.name })
    .from(devices)
    .where(and(eq(devices.id, id), isNull(devices.deletedAt)))
  return device ?? notFound()
}

export const logSummaryRoutes = (api: Api): void => {
  api.places.set('log_summary', async (tx, id) => {
    const [row] = await tx.select({ projectId: logSummaries.projectId }).from(logSummaries).where(eq(logSummaries.id, id))
    return row
  })

  route(api, contract.logSummaries, ({ tx, params, query }) => listSummaries(tx, params.deviceId, query))

  route(api, contract.createLogSummary, async ({ tx, params, body, now }) => {
    const { from, to } = spanOf(body.from, body.to)
    return logSummaryToJson(await makeSummary(tx, await deviceOf(tx, params.deviceId), from, to, now))
  })

  route(api, contract.logSummary, async ({ tx, params }) => logSummaryToJson(await summaryById(tx, params.logSummaryId)))

  route(api, contract.logSummaryPlaintext, async ({ tx, params }) => {
    const row = await summaryById(tx, params.logSummaryId)
    return plaintextOf(await deviceOf(tx, row.deviceId), logSummaryToJson(row))
  })
}
