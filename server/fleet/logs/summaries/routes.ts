import * as contract from '../../../../contract/fleet/log-summaries'
import type { Tx } from '../../../core/database/tx'
import type { Api } from '../../../core/http/api'
import { refuseField } from '../../../core/http/refuse'
import { route, routeWithPreparation } from '../../../core/http/route'
import { getDevice } from '../../devices/repository'
import { createLogSummary, readLines } from './create'
import { plaintextOf } from './plaintext'
import { findEndOfLog } from '../repository'
import { getLogSummary, listLogSummaries, type LogSummaryRow } from './repository'
import { logSummaryToJson } from './to-json'

const longestMs = 31 * 86_400_000

const spanOf = (from: string, to: string): { from: Date; to: Date } => {
  const span = { from: new Date(from), to: new Date(to) }
  const ms = span.to.getTime() - span.from.getTime()
  if (ms <= 0) refuseField('to', 'range', 'To must be after from')
  if (ms > longestMs) refuseField('from', 'range', 'A summary spans at most 31 days')
  return span
}

const findOldestTime = async (tx: Tx, { projectId, deviceId }: LogSummaryRow) =>
  (await findEndOfLog(tx, { projectId, deviceId }, 'oldest'))?.receivedAt

export const logSummaryRoutes = (api: Api): void => {
  route(api, contract.logSummaries, async ({ tx, params, query }) => {
    const { rows, next_cursor, total } = await listLogSummaries(tx, params.deviceId, query)
    const [first] = rows
    const oldest = first && (await findOldestTime(tx, first))
    return { log_summaries: rows.map((row) => logSummaryToJson(row, oldest)), next_cursor, total }
  })

  routeWithPreparation(
    api,
    contract.createLogSummary,
    async ({ tx, deps, params, body }) => {
      const period = spanOf(body.from, body.to)
      return { period, read: await readLines(deps, await getDevice(tx, params.deviceId), period) }
    },
    async ({ tx, params, now }, { period, read }) => {
      const row = await createLogSummary(tx, await getDevice(tx, params.deviceId), period, read, now)
      return logSummaryToJson(row, await findOldestTime(tx, row))
    },
  )

  route(api, contract.logSummary, async ({ tx, params }) => {
    const row = await getLogSummary(tx, params.logSummaryId)
    return logSummaryToJson(row, await findOldestTime(tx, row))
  })

  route(api, contract.logSummaryPlaintext, async ({ tx, params }) => {
    const row = await getLogSummary(tx, params.logSummaryId)
    return plaintextOf(await getDevice(tx, row.deviceId), logSummaryToJson(row, await findOldestTime(tx, row)))
  })
}
