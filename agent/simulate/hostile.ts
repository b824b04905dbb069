import { randomUUID } from 'node:crypto'
import { is } from 'superstruct'
import type { DeviceEvent } from '../../contract/device/api'
import { fromBase64, fromUtf8, toBase64 } from '../../contract/device/bytes'
import { Envelope } from '../../contract/device/dsse'
import * as calls from '../../contract/device/endpoints'
import type { Offer } from '../api-client/device-api'
import { type Call, Refused, send } from '../api-client/http'
import { wait } from '../core/wait'
import { checkIn, enroll } from './device-calls'
import type { HostileKind } from './hostile-kinds'
import type { SimulatedDevice } from './simulated-device'
import { simulateUpdate } from './update'

const dayMs = 86_400_000

/** The statuses of the answers to all calls of some work, 0 for one that was not answered. */
const statusesOf = async ({ connection }: SimulatedDevice, work: () => Promise<unknown>): Promise<number[]> => {
  const statuses: number[] = []
  connection.onStatus = (status) => void statuses.push(status)
  await work().finally(() => delete connection.onStatus)
  return statuses
}

/** The status of a call; 0 if it was not answered. */
const statusOf = async (device: SimulatedDevice, call: Call): Promise<number> => {
  try {
    const response = await send(device.connection, { ...call, signal: device.stopping })
    await response.body?.cancel()
    return response.status
  } catch (error) {
    return error instanceof Refused ? error.status : 0
  }
}

type Behaviour = (device: SimulatedDevice) => Promise<number[]>

const lineAt = (device: SimulatedDevice, ts_ms: number, text = 'clock test') => {
  const sequence = device.store.state.next_log
  device.store.change({ next_log: sequence + 1 })
  return JSON.stringify({ sequence, ts_ms, level: 'info', unit: 'app', message: text, boot_id: device.bootId() })
}
const sendLines = (device: SimulatedDevice, lines: readonly string[]) =>
  statusOf(device, { ...calls.logs, text: `${lines.join('\n')}\n` })

const withClock =
  (now: () => number): Behaviour =>
  async (device) => [
    await sendLines(device, [lineAt(device, now()), lineAt(device, now() + 1000)]),
    await statusOf(device, {
      ...calls.metrics,
      json: { points: [{ name: 'cpu.usage_percent', unit: '%', ts_ms: now(), value: 3 }] },
    }),
  ]

const eventOf = (device: SimulatedDevice, type: DeviceEvent['type'], offer?: Offer): DeviceEvent => {
  const sequence = device.store.state.next_event
  device.store.change({ next_event: sequence + 1 })
  const rollout_id = offer?.rolloutId ?? null
  const facts = { rollout_id, release_id: null, version: null, boot_id: device.bootId(), ts_ms: Date.now() }
  return { event_id: randomUUID(), sequence, type, ...facts }
}
const report = (device: SimulatedDevice, events: readonly DeviceEvent[]) =>
  statusOf(device, { ...calls.updateEvents, json: { events } })

/** The first offer of each device: it is misused again and again. */
const first = new WeakMap<SimulatedDevice, Offer>()

const askForUpdate = async (device: SimulatedDevice): Promise<Offer | undefined> => {
  const { installed } = device.store.state
  const offer = await device.api.update(installed?.version ?? null, installed?.slot ?? null, device.stopping)
  if (!('envelope' in offer)) return undefined
  if (!first.has(device)) first.set(device, offer)
  return offer
}
const findOffer = async (device: SimulatedDevice): Promise<Offer | undefined> => first.get(device) ?? askForUpdate(device)

const forged = (envelope: unknown): unknown => {
  if (!is(envelope, Envelope)) return envelope
  const flip = (text: string) => {
    const bytes = fromBase64(text) ?? new Uint8Array(64)
    return toBase64(bytes.map((byte, index) => (index === 0 ? byte ^ 1 : byte)))
  }
  return { ...envelope, signatures: envelope.signatures.map((one) => ({ ...one, sig: flip(one.sig) })) }
}

const assetOf = ({ envelope }: Offer): string | undefined => {
  if (!is(envelope, Envelope)) return undefined
  const text = fromUtf8(fromBase64(envelope.payload) ?? new Uint8Array())
  return /"path":"([^"]+)"/.exec(text ?? '')?.[1]
}

const floodLines = 500
const floodBatches = 4
const ranges = Array.from({ length: 200 }, (_, n) => `${n * 2}-${n * 2}`).join(',')

const behaviours: Record<Exclude<HostileKind, 'duplicate_serial'>, Behaviour> = {
  clock_1970: withClock(() => Math.floor(performance.now())),
  clock_ahead: withClock(() => Date.now() + 3 * dayMs),
  events_out_of_order: async (device) => {
    const events = (['update_deferred', 'update_deferred', 'update_deferred'] as const).map((type) => eventOf(device, type))
    return [await report(device, events.toReversed())]
  },
  events_repeated: async (device) => {
    const event = eventOf(device, 'update_deferred')
    const alone = [event]
    return [await report(device, [event, event, event]), await report(device, alone), await report(device, alone)]
  },
  log_flood: async (device) => {
    const batch = () => Array.from({ length: floodLines }, (_, n) => lineAt(device, Date.now(), `flood ${n}`))
    return Promise.all(Array.from({ length: floodBatches }, () => sendLines(device, batch())))
  },
  body_too_large: async (device) => [await statusOf(device, { ...calls.logs, text: 'x'.repeat(1024 ** 2 + 1) })],
  wrong_token: async (device) => {
    const token = device.memory.identity?.device_token ?? ''
    const other = `${token.slice(0, 10)}${token[10] === 'A' ? 'B' : 'A'}${token.slice(11)}`
    return [
      await statusOf(device, { ...calls.logs, text: lineAt(device, Date.now()), token: other }),
      await statusOf(device, { ...calls.logs, text: lineAt(device, Date.now()), token: 'dvc_' }),
    ]
  },
  old_manifest: async (device) => {
    const offer = await askForUpdate(device)
    if (offer) await simulateUpdate(device, offer.envelope, offer.rolloutId)
    const old = first.get(device)
    // What is not installed is no replay.
    if (!old || device.store.state.installed === null) return []
    return statusesOf(device, () => simulateUpdate(device, old.envelope, old.rolloutId))
  },
  forged_signature: async (device) => {
    const offer = await findOffer(device)
    if (!offer) return []
    return statusesOf(device, () => simulateUpdate(device, forged(offer.envelope), offer.rolloutId))
  },
  range_flood: async (device) => {
    const offer = await findOffer(device)
    const path = offer && assetOf(offer)
    if (path === undefined) return []
    const get = (range: string) => statusOf(device, { method: 'GET', path, headers: { range } })
    return Promise.all(Array.from({ length: 20 }, (_, n) => get(n % 2 === 0 ? `bytes=${ranges}` : 'bytes=0-0')))
  },
  success_without_reboot: async (device) => {
    const offer = await findOffer(device)
    if (!offer) return []
    const types = ['update_accepted', 'download_completed', 'install_completed', 'update_confirmed'] as const
    const events = types.map((type) => eventOf(device, type, offer))
    return [await report(device, events)]
  },
}

/** Does the same wrong thing at each poll until the fleet ends, and records the answers. `copied`: the owner of its serial number. */
export const runHostile = async (device: SimulatedDevice, kind: HostileKind, copied?: SimulatedDevice): Promise<void> => {
  const { memory, options, serial, stopping } = device
  const record = options.recordHostile
  while (!stopping.aborted) {
    try {
      // Who copies a serial number that is not enrolled yet would be taken for the original.
      const isFirst = copied?.memory.identity === null
      if (memory.identity === null && !isFirst) await enroll(device)
      if (kind !== 'duplicate_serial') {
        await checkIn(device)
        const statuses = await behaviours[kind](device)
        if (statuses.length > 0) record(serial, kind, statuses)
      }
    } catch (error) {
      if (error instanceof Refused) record(serial, kind, [error.status])
    }
    await wait(options.fastestPollMs, stopping)
  }
}
