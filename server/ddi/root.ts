import * as contract from '../../contract/ddi/endpoints'
import type { Root } from '../../contract/ddi/api'
import { awaitsConfirmation } from '../../contract/ddi/confirm'
import type { Endpoint } from '../../contract/core/endpoint'
import { clientOf } from '../../contract/fleet/hardware-models'
import { notFound } from '../core/http/refuse'
import type { Call } from '../core/http/call'
import { deviceTarget } from '../fleet/devices/audit-target'
import { emitEnrolled } from '../fleet/devices/events'
import { type DeviceRow, lockCallingDevice, updateReportedFacts } from '../fleet/devices/repository'
import { tokenUse } from '../fleet/devices/tokens/token-sharing'
import { offerFor } from '../updates/rollouts/offer/offer'
import { clientFacts } from './client-facts'
import { isActive, isOpen, isToBeCancelled } from './action-state'
import { type Action, findNewestAction, findUpdateOf, findSucceededAction, insertAction, listAssets } from './actions.repository'
import { getDdiDevice, updateDdiDevice } from './devices.repository'
import { linkTo } from './links'
import { registerController } from './register'
import { sleepSeconds, toSleep } from './sleep'
import { sendsAttributesAtStart, wantsAttributes } from './wants-attributes'
import { learnedPolling, setPollingS } from '../fleet/devices/polling'
import { updateDeviceUpdate } from '../updates/device-updates/repository'

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
  versionText: string | null,
): Promise<{ found: Action | undefined; newest: Action | undefined; until: Date | null }> => {
  const newest = await findNewestAction(tx, device.id)
  const isRunning = newest !== undefined && newest.action.attempt === newest.update.attempt && isActive(newest.update.state)
  if (isRunning) return { found: isOpen(newest) ? newest : undefined, newest, until: null }
  const offer = await offerFor(tx, device, now)
  if ('reason' in offer) return { found: undefined, newest, until: offer.reason === 'window_closed' ? offer.until : null }
  if (offer.isNew) afterCommit(() => deps.metrics?.countOffer('ddi'))
  const update = (await findUpdateOf(tx, device.id, offer.rolloutId)) ?? notFound()
  const { attempt } = update
  if (offer.isNew) await updateDeviceUpdate(tx, update, { offerVersionText: versionText })
  await insertAction(tx, device, { rolloutId: offer.rolloutId, attempt }, now)
  const found = await findNewestAction(tx, device.id)
  return { found, newest: found, until: null }
}

/**
 * The boot in which a client installs is not known if it may have restarted since it last sent its attributes: the next boot that it
 * reports is then no restart after the installation.
 */
const forgetBoot = async ({ tx }: RootCall, { update }: Action) => {
  if (update.offerBootId === null || awaitsConfirmation(update.state)) return
  await updateDeviceUpdate(tx, update, { offerBootId: null })
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
  const { kind, version_attribute } = clientOf(settings.hardware_models, device.hardwareModel)
  const version = device.attributes[version_attribute]
  const { found, newest, until } = await currentAction(call, device, version === undefined ? null : String(version))
  const link = linkTo(deps.config, request, params)
  const href = (endpoint: Pick<Endpoint, 'path'>, action: Action) => ({
    href: link(endpoint, { actionId: String(action.action.id) }),
  })
  const isStopped = found !== undefined && isToBeCancelled(found, await listAssets(tx, found.release.id))
  const state = newest?.update.state ?? null
  const installed = kind === 'other' ? await findSucceededAction(tx, device.id) : undefined
  const agent = request.headers['user-agent']
  const configLinked = wantsAttributes(ddi, state, agent, now)
  if (configLinked !== ddi.configLinked) await updateDdiDevice(tx, device.id, { configLinked })
  if (found && !isStopped && !configLinked && !sendsAttributesAtStart(agent, kind)) await forgetBoot(call, found)
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
      ...(found &&
        !isStopped && { deploymentBase: { href: `${href(contract.deploymentBase, found).href}?c=${found.action.id}` } }),
      ...(configLinked && { configData: { href: link(contract.putConfigData) } }),
      ...(installed && { installedBase: href(contract.installedBase, installed) }),
    },
  }
}
