import { lifetimes } from '../core/lifetimes'
import { type DeviceEvent, maxLogLines } from '../../contract/device/api'
import * as contract from '../../contract/device/endpoints'
import { deviceTarget } from '../fleet/devices/audit-target'
import {
  findDeviceToken,
  issueDeviceToken,
  recordDeviceTokenUse,
  replaceDeviceToken,
} from '../fleet/devices/device-token.repository'
import { tokenState } from '../fleet/devices/tokens/token-state'
import type { Api } from '../core/http/api'
import { refuse } from '../core/http/refuse'
import type { Call } from '../core/http/call'
import { retryTransaction } from '../core/http/database-errors'
import type { TakeFacts } from '../core/http/caller-facts'
import { route, routeWithFacts } from '../core/http/route'
import { hashOfAttributes } from '../fleet/devices/attributes'
import { readLines } from '../fleet/logs/log-lines'
import { pointsOf, filterByTime } from '../fleet/telemetry/points'
import { storeEvents } from '../updates/device-updates/store-events'
import { storeLogs } from '../fleet/logs/store-logs'
import { insertAlone, type InsertMetrics, insertTogether, storeMetrics } from '../fleet/telemetry/store-metrics'
import { sendAsset } from '../updates/releases/assets/device-assets'
import { haltRollouts } from '../updates/rollouts/steps/cancel'
import { createDeviceFinder, findLoggingActor, findMeasuringActor } from '../fleet/enrollment/authenticate'
import { checkIn, checkInAnswer } from '../updates/device-updates/check-in'
import { isQuiet } from '../updates/device-updates/quiet-check-in'
import { createContacts } from '../fleet/devices/contacts'
import { settleCommand } from '../fleet/devices/steps/pending-commands'
import { lockCallingDevice, updateReportedFacts } from '../fleet/devices/repository'
import { findKeyListFor, getTrustedKeys, isKeyListAvailable } from '../fleet/key-lists/repository'
import { enrollDevice } from '../fleet/enrollment/enroll'
import { findLoggingDevice, type LoggingDevice } from '../fleet/logs/repository'
import { findMeasuredDevice, type MeasuredDevice } from '../fleet/telemetry/metrics.repository'
import { findCheckingDevice } from './quiet-check-in.repository'
import { offerUpdate } from './update'
import { isUpdateAvailable } from './update.repository'

const openIdentity = (api: Api) => {
  route(api, contract.enroll, async ({ tx, enrollment, body, now, audit, reply }) => {
    const { device, token, pollingIntervalS, known } = await enrollDevice(tx, enrollment, body, now)
    audit({ target: deviceTarget(device), ...(known && { reason: 'enrolled again with its own key' }) })
    if (known) reply.code(200)
    return {
      device_id: device.id,
      device_token: token,
      project_id: device.projectId,
      lifecycle: device.lifecycle === 'pending' ? ('pending' as const) : ('active' as const),
      polling_interval_s: pollingIntervalS,
    }
  })

  route(api, contract.rotateToken, async ({ tx, device: { id, projectId, tokenHash }, now, audit }) => {
    const device = await lockCallingDevice(tx, id)
    const token = await findDeviceToken(tx, tokenHash)
    const state = tokenState(token, now)
    if (!token || state === 'ended') return refuse(401, 'unauthenticated')
    // Otherwise the holder of a leaked token could exchange it for a new one up to a day after it was replaced.
    if (state === 'ending') refuse(403, 'token_expiring', { message: 'This token was replaced and ends soon: use the new one' })
    await recordDeviceTokenUse(tx, tokenHash, now, lifetimes.replacedTokenDays)
    await replaceDeviceToken(tx, token, now)
    audit({ target: deviceTarget(device) })
    return { device_token: await issueDeviceToken(tx, { projectId, deviceId: id }, now) }
  })
}

// Reports of a device that was not accepted are neither trusted nor stored.
const unbelieved = (events: readonly DeviceEvent[]) => ({
  accepted: 0,
  duplicates: 0,
  rejected: events.map(({ event_id }) => ({ event_id, code: 'pending_acceptance' })),
  abort: false,
})

type CheckingDevice = NonNullable<Awaited<ReturnType<typeof findCheckingDevice>>>

/** The device of a check-in: whether it has news is decided by what is read with its token. */
const findCheckingActor = createDeviceFinder(findCheckingDevice, (row) => row)

const openUpdates = (api: Api) => {
  const contacts = createContacts(api.deps)
  api.app.addHook('onClose', () => contacts.close())

  const quietCheckIn = async (
    { device: { id, settings, isTokenNew }, body, now, request }: Call<typeof contract.checkIn>,
    takeState: TakeFacts<CheckingDevice>,
  ) => {
    const state = takeState()
    if (isTokenNew) return undefined
    const projectS = settings.polling_interval_s
    if (!state || state.hasCommands || !isQuiet(state, body, { address: request.ip, projectS, now })) return undefined
    contacts.note(id, now)
    return {
      ...checkInAnswer(state, state.pollingIntervalS ?? projectS, body, now),
      update_available: state.hasUpdate,
      ...(body.key_list_counter !== undefined && { key_list_available: state.hasKeyList }),
    }
  }
  routeWithFacts(api, contract.checkIn, findCheckingActor, {
    shortcut: quietCheckIn,
    handler: async ({ tx, device: { id, projectId, settings, tokenHash, isTokenNew }, body, now, request }) => {
      if (isTokenNew) await recordDeviceTokenUse(tx, tokenHash, now, lifetimes.replacedTokenDays)
      const { answer } = await checkIn(tx, { id, settings, address: request.ip }, body, now)
      const { key_list_counter: counter, trusted_keys: fingerprints } = body
      return {
        ...answer,
        update_available: await isUpdateAvailable(tx, id),
        ...(counter !== undefined && { key_list_available: await isKeyListAvailable(tx, { projectId, counter, fingerprints }) }),
      }
    },
  })
  route(api, contract.keyList, async ({ tx, device: { id, projectId }, query, reply }) => {
    const row = await findKeyListFor(tx, { projectId, counter: query.counter, fingerprints: await getTrustedKeys(tx, id) })
    if (!row) return void reply.code(204)
    reply.type('application/json; charset=utf-8')
    return row.envelope
  })
  route(api, contract.update, ({ deps, device, now, reply }) => offerUpdate(deps, device, now, reply))
  route(api, contract.deviceAsset, ({ deps, device, params, request, reply }) =>
    sendAsset({ deps: { ...deps, haltRollouts }, request, reply }, device, params.assetId),
  )
  route(api, contract.updateEvents, async ({ tx, device: { id, settings }, body, now }) => {
    const device = await lockCallingDevice(tx, id)
    return device.lifecycle === 'pending' ? unbelieved(body.events) : storeEvents(tx, device, settings, body.events, now)
  })
  route(api, contract.commandResult, ({ tx, device: { id }, params, body, now }) =>
    settleCommand(tx, id, params.commandId, body, now),
  )
}

const rejectedBatch = (count: number) => ({ accepted: 0, dropped: count, reasons: { pending_acceptance: count } })

const openTelemetry = (api: Api) => {
  route(api, contract.putAttributes, async ({ tx, device: { id }, body }) => {
    const attributesHash = await hashOfAttributes(body)
    await updateReportedFacts(tx, id, { attributes: body, attributesHash })
  })

  route(api, contract.patchAttributes, async ({ tx, device: { id }, body }) => {
    const attributes = { ...(await lockCallingDevice(tx, id)).attributes, ...body }
    if (Object.keys(attributes).length > 100) refuse(422, 'invalid', { message: 'A device can have at most 100 attributes' })
    const attributesHash = await hashOfAttributes(attributes)
    await updateReportedFacts(tx, id, { attributes, attributesHash })
  })

  const measureBy =
    (insert: InsertMetrics) =>
    async ({ tx, device: caller, body, now }: Call<typeof contract.metrics>, takeDevice: TakeFacts<MeasuredDevice>) => {
      const points = pointsOf(body)
      const device = takeDevice() ?? (await findMeasuredDevice(tx, caller.id))
      if (device.lifecycle === 'pending') return rejectedBatch(points.length)
      return storeMetrics(tx, device, filterByTime(points, now), caller.settings, { now, insert })
    }
  const measureTogether = measureBy(insertTogether)
  routeWithFacts(api, contract.metrics, findMeasuringActor, {
    shortcut: (call, takeDevice) => retryTransaction(() => measureTogether(call, takeDevice)),
    handler: measureBy(insertAlone),
  })

  const log = async ({ tx, device: caller, raw, now }: Call<typeof contract.logs>, takeDevice: TakeFacts<LoggingDevice>) => {
    const read = readLines(Buffer.isBuffer(raw) ? raw : Buffer.alloc(0))
    if (!read) return refuse(413, 'body_too_large', { message: `Send at most ${maxLogLines} lines at once` })
    const { lifecycle, feed } = takeDevice() ?? (await findLoggingDevice(tx, caller.id))
    if (lifecycle === 'pending') return { ...rejectedBatch(read.count), next_allowed_ms: 60_000 }
    return storeLogs(tx, { projectId: caller.projectId, deviceId: caller.id }, feed, read, now)
  }
  routeWithFacts(api, contract.logs, findLoggingActor, {
    shortcut: (call, takeDevice) => retryTransaction(() => log(call, takeDevice)),
    handler: log,
  })
}

/** The device API: a device acts only for itself, by its own token. */
export const deviceApiRoutes = (api: Api): void => {
  openIdentity(api)
  openUpdates(api)
  openTelemetry(api)
}
