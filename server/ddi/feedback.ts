import { clientOfAgent, endsAction, isRaucError, meaningsOf, type Report, stopsUpdate } from '../../contract/ddi/feedback'
import type { cancelFeedback, deploymentFeedback } from '../../contract/ddi/endpoints'
import type { Tx } from '../core/database/tx'
import type { Call } from '../core/http/call'
import { notFound, refuse } from '../core/http/refuse'
import { count } from '../core/http/rates'
import { type DeviceRow, lockCallingDevice, updateReportedFacts } from '../fleet/devices/repository'
import { recordInstallingBoot } from '../updates/device-updates/confirmation'
import { isOpen, isUnwanted } from './action-state'
import { type Action, findAction, listAssets, listMessages, updateAction } from './actions.repository'
import { getDdiDevice, updateDdiDevice } from './devices.repository'
import { logDetails, readReport, storeMeanings } from './reports'

type FeedbackCall = Pick<
  Call<typeof deploymentFeedback> | Call<typeof cancelFeedback>,
  'tx' | 'device' | 'params' | 'raw' | 'now' | 'request'
>

/** One installation of rauc-hawkbit-updater reports 25 times in 0.2 s. */
const mostProgressPerMinute = 600
const keptReport = 4096

type Read = { device: DeviceRow; found: Action; report: Report; body: Buffer; agent: string | undefined }

const read = async ({ tx, device: { id }, params, raw, now, request }: FeedbackCall): Promise<Read> => {
  const body = Buffer.isBuffer(raw) ? raw : Buffer.alloc(0)
  const report = readReport(body)
  const device = await lockCallingDevice(tx, id)
  const found = (await findAction(tx, id, Number(params.actionId))) ?? notFound()
  await getDdiDevice(tx, device)
  const lastReport = body.toString('utf8').toWellFormed().replaceAll('\0', '').slice(0, keptReport)
  await updateDdiDevice(tx, id, { lastReport, lastReportAt: now })
  await updateReportedFacts(tx, id, { lastSeenAt: now })
  return { device, found, report, body, agent: request.headers['user-agent'] }
}

const errorAmong = 8

/** The report of a failure with the line of an earlier report that says why. */
const withReason = async (tx: Tx, found: Action, report: Report): Promise<Report> => {
  if (report.execution !== 'closed' || report.finished !== 'failure') return report
  const earlier = await listMessages(tx, found, errorAmong)
  const reason = earlier.find(({ message }) => message !== null && isRaucError(message))?.message
  return reason == null ? report : { ...report, details: [reason, ...report.details] }
}

/** A report about a deployment: what it means goes through the same store and chart as the events of our agent. */
export const receiveFeedback = async (call: FeedbackCall): Promise<void> => {
  const { tx, now } = call
  const { settings } = call.device
  const { device, found, report, body, agent } = await read(call)
  if (!isOpen(found)) {
    // A client that gets no 200 for its last report may wait for ever.
    if (report.execution !== 'closed') refuse(410, 'ended', { message: 'This action has ended' })
    return logDetails(tx, device, report, agent, now)
  }
  if (report.execution === 'proceeding' && (await count(tx, `ddi-progress:${device.id}`, now)) > mostProgressPerMinute) return
  const complete = await withReason(tx, found, report)
  await storeMeanings(
    tx,
    device,
    settings,
    meaningsOf(complete, clientOfAgent(agent), found.update.state),
    { action: found, body, details: complete.details },
    now,
  )
  if (report.execution === 'proceeding') await recordInstallingBoot(tx, device, found.update)
  if (endsAction(report)) await updateAction(tx, found.action, { closedAt: now })
  await logDetails(tx, device, report, agent, now)
}

/** An answer to a cancellation. One that was refused is not asked again: the update goes on. */
export const receiveCancelFeedback = async (call: FeedbackCall): Promise<void> => {
  const { tx, now } = call
  const { settings } = call.device
  const { device, found, report, body, agent } = await read(call)
  await logDetails(tx, device, report, agent, now)
  const stopped = stopsUpdate(report)
  if (!isOpen(found) || stopped === null) return
  // Nobody has asked: the update goes on. The answer may come late, when the client has installed it already.
  if (!isUnwanted(found, await listAssets(tx, found.release.id))) return
  if (!stopped) return updateAction(tx, found.action, { cancelRefusedAt: now })
  const meaning = { type: 'update_cancelled', reason_code: 'aborted' } as const
  await storeMeanings(tx, device, settings, [meaning], { action: found, body, details: report.details }, now)
  await updateAction(tx, found.action, { closedAt: now })
}
