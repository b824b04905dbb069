import * as contract from '../../contract/ddi/endpoints'
import type { Root } from '../../contract/ddi/api'
import type { UpdateState } from '../../contract/device/update-events'
import type { Endpoint } from '../../contract/endpoint'
import { clientOf } from '../../contract/hardware-models'
import { notFound } from '../core/http/refuse'
import type { Call } from '../core/http/call'
import { deviceTarget } from '../fleet/devices/audit-target'
import { emitEnrolled } from '../fleet/devices/events'
import { type DeviceRow, lockCallingDevice, updateReportedFacts } from '../fleet/devices/repository'
import { tokenUse } from '../fleet/devices/token-sharing'
import { offerFor } from '../updates/rollouts/offer'
import { clientFacts } from './client-facts'
import { isActive, isOpen, isToBeCancelled } from './action-state'
import { type Action, findNewestAction, findUpdateOf, findSucceededAction, insertAction, listAssets } from './actions.repository'
import { type DdiDeviceRow, getDdiDevice } from './devices.repository'
import { linkTo } from './links'
import { registerController } from './register'
import { sleepSeconds, toSleep } from './sleep'
import { learnedPolling, setPollingS } from '../fleet/devices/polling'

type RootCall = Call<typeof contract.root>

const callerOf = async (call: RootCall): Promise<DeviceRow> => {
  const { tx, actor, params, now, audit, skipAudit } = call
  if (actor.kind !== 'enrollment') {
    skipAudit()
    return lockCallingDevice(tx, call.device.id)
  }
  const { device, isNew } = await registerController(tx, actor, params.controllerId, now)
  if (isNew) audit({ target: deviceTarget(device) })
  else skipAudit()
  return device
}

/** The action to work on now: one that is open, or that of a new offer. Null while the device waits for the end of its update. */
const currentAction = async (
  { tx, deps, now, afterCommit }: RootCall,
  device: DeviceRow,
): Promise<{ found: Action | undefined; newest: Action | undefined; until: Date | null }> => {
  const newest = await findNewestAction(tx, device.id)
  const isRunning = newest !== undefined && newest.action.attempt === newest.update.attempt && isActive(newest.update.state)
  if (isRunning) return { found: isOpen(newest) ? newest : undefined, newest, until: null }
  const offer = await offerFor(tx, device, now)
  if ('reason' in offer) return { found: undefined, newest, until: offer.reason === 'window_closed' ? offer.until : null }
  if (offer.isNew) afterCommit(() => deps.metrics?.countOffer('ddi'))
  const { attempt } = (await findUpdateOf(tx, device.id, offer.rolloutId)) ?? notFound()
  await insertAction(tx, device, { rolloutId: offer.rolloutId, attempt }, now)
  const found = await findNewestAction(tx, device.id)
  return { found, newest: found, until: null }
}

const attributesAgainS = 86_400
const attributesAtMostEveryS = 60

/**
 * During an update they tell the boots before and after the installation apart: some clients send them only when asked. A link that
 * stays after its answer would be followed again at once.
 */
export const wantsAttributes = (
  { configAt, configAsked }: Pick<DdiDeviceRow, 'configAt' | 'configAsked'>,
  state: UpdateState | null,
  now: Date,
): boolean => {
  if (configAt === null) return true
  const age = (now.getTime() - configAt.getTime()) / 1000
  if (age < attributesAtMostEveryS) return false
  return configAsked || age > attributesAgainS || (state !== null && isActive(state))
}

/** The answer to a poll: takes the slot of an offer, and links to the work of the device. */
export const poll = async (call: RootCall): Promise<Root> => {
  const { tx, deps, request, params, now } = call
  const { settings } = call.actor.kind === 'enrollment' ? call.enrollment : call.device
  const device = await callerOf(call)
  await updateReportedFacts(tx, device.id, {
    firstSeenAt: device.firstSeenAt ?? now,
    lastSeenAt: now,
    enrolledAt: device.enrolledAt ?? now,
    ...learnedPolling(device),
    ...tokenUse(device, request.ip, device.bootId ?? '', now),
    ...clientFacts(request.headers['user-agent']),
  })
  if (device.enrolledAt === null) await emitEnrolled(tx, device, now)
  const ddi = await getDdiDevice(tx, device)
  const { found, newest, until } = await currentAction(call, device)
  const link = linkTo(deps.config, request, params)
  const href = (endpoint: Pick<Endpoint, 'path'>, action: Action) => ({
    href: link(endpoint, { actionId: String(action.action.id) }),
  })
  const isStopped = found !== undefined && isToBeCancelled(found, await listAssets(tx, found.release.id))
  const state = newest?.update.state ?? null
  const isOther = clientOf(settings.hardware_models, device.hardwareModel).kind === 'other'
  const installed = isOther ? await findSucceededAction(tx, device.id) : undefined
  const sleep = sleepSeconds({
    deviceId: device.id,
    pollS: setPollingS(device) ?? settings.polling_interval_s,
    isUpdating: found !== undefined || (state !== null && isActive(state)),
    opensAt: until,
    now,
  })
  return {
    config: { polling: { sleep: toSleep(sleep) } },
    _links: {
      ...(found && isStopped && { cancelAction: href(contract.cancelAction, found) }),
      ...(found && !isStopped && { deploymentBase: href(contract.deploymentBase, found) }),
      ...(wantsAttributes(ddi, state, now) && { configData: { href: link(contract.putConfigData) } }),
      ...(installed && { installedBase: href(contract.installedBase, installed) }),
    },
  }
}
