import { randomUUID } from 'node:crypto'
import type { Attributes } from '../../contract/device/api'
import type { LogLevel } from '../../contract/device/config-fields'
import type { DeviceFacts } from '../../contract/device/verify'
import { wait } from '../core/wait'
import { deviceApi } from '../api-client/device-api'
import type { Connection } from '../api-client/http'
import { createTrust } from '../state/key-list'
import { type Outbox, outboxOf } from '../state/outbox'
import type { DeviceProfile } from './classes'
import { createLogBuffer } from './log-buffer'
import { bootBurst } from './log-lines'
import type { OpenMemory } from './memory'
import type { FleetOptions, Told } from './options'
import { type Random, randomOf } from './random'
import { signalsOf } from './signals'

export const fleetClient = { name: 'teasel-fleet', version: '0.1.0' } as const

/** One device of the fleet: real identity, real calls, real signatures; only its measurements are simulated. */
export const simulatedDevice = (profile: DeviceProfile, memory: OpenMemory, options: FleetOptions, stopping: AbortSignal) => {
  const { kind, serial } = profile
  const { store } = memory
  const randomFor = (name: string): Random => randomOf(options.seed, `${serial}/${name}`)
  const random = randomFor(`run/${store.state.next_log}`)
  const connection: Connection = { origin: options.server, timeoutMs: 30_000, token: () => memory.identity?.device_token ?? null }
  const clock = { now: () => Date.now(), atLeast: () => {}, follow: () => {} }
  let bootId: string = randomUUID()
  let outbox: Outbox = outboxOf(store, clock, bootId)
  const logBuffer = createLogBuffer(
    store,
    () => bootId,
    () => Boolean(memory.backfill),
  )
  let told = ''
  const signals = signalsOf(kind, randomFor('signals'), Math.min(memory.bornMs, Date.now()) - options.backfillHours * 3_600_000)

  const logBoot = () => {
    for (const { level, unit, message } of bootBurst(kind, random)) logBuffer.add(level, unit, message)
  }

  return {
    profile,
    kind,
    serial,
    memory,
    store,
    options,
    stopping,
    connection,
    api: deviceApi(connection),
    trust: createTrust(
      options.keys,
      memory.keyList,
      (list) => void (memory.keyList = list),
      () => ({ projectId: memory.identity?.project_id ?? null, counters: {} }),
    ),
    signals,
    logBuffer,
    random,
    randomFor,
    /** How often each rollout was tried, so that another attempt gets another random outcome. */
    tries: new Map<string, number>(),
    /** Records an answer about updates that differs from the one before. */
    recordAnswer: (answer: Told) => {
      const text = JSON.stringify(answer)
      if (text !== told) options.recordAnswer(serial, answer)
      told = text
    },
    bootId: () => bootId,
    outbox: () => outbox,
    log: (level: LogLevel, unit: string, message: string) => logBuffer.add(level, unit, message),
    pause: (seconds: number) => wait((seconds * 1000) / options.speed, stopping),
    reboot: () => {
      bootId = randomUUID()
      outbox = outboxOf(store, clock, bootId)
      signals.boot(Date.now())
      logBoot()
    },
    logBoot,
    attributes: (): Attributes => ({
      ...kind.attributes,
      machine: kind.model,
      memory_total_bytes: kind.memoryBytes,
      storage_total_bytes: kind.storageBytes,
      hostname: profile.name,
      client_version: fleetClient.version,
      ...(store.state.installed?.slot ? { rootfs_slot: store.state.installed.slot } : {}),
    }),
    facts: (): DeviceFacts => ({
      now: Date.now(),
      projectId: memory.identity?.project_id ?? null,
      hardwareModel: kind.model,
      installedVersion: store.state.installed?.version ?? null,
      mayReturnTo: store.state.may_return_to ?? [],
      rollbackVersion: store.state.rollback_version,
    }),
  }
}
export type SimulatedDevice = ReturnType<typeof simulatedDevice>
