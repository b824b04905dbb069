import type { DeviceConfig } from '../contract/device/config'
import type { Manifest } from '../contract/device/manifest'
import type { DeviceFacts } from '../contract/device/verify'
import type { Clock } from './core/clock'
import type { CommandQueue } from './report/commands'
import type { DeviceLog } from './report/log'
import type { DeviceApi } from './api-client/device-api'
import type { Connection } from './api-client/http'
import type { Identity } from './state/identity'
import type { Trust } from './state/key-list'
import type { Outbox } from './state/outbox'
import type { Store } from './state/store'
import type { AgentPaths } from './update/paths'

/** What the parts of one agent share. */
export type Device = {
  config: DeviceConfig
  configHash: string
  bootId: string
  paths: AgentPaths
  store: Store
  trust: Trust
  clock: Clock
  log: DeviceLog
  outbox: Outbox
  commands: CommandQueue
  connection: Connection
  api: DeviceApi
  identity: () => Identity | null
  /** The last envelope of the fallback URL, how often it failed, and when it may be tried again (`performance.now()`). */
  lastFallback?: { hash: string; failures: number; retryAtMs: number }
  /** Aborted when the process is asked to stop. */
  stopping: AbortSignal
}

/**
 * Whose releases the device accepts: of the project that it was moved to, of that of device.json or of the enrollment, or else of
 * the first manifest.
 */
export const projectOf = ({ config, store, identity }: Pick<Device, 'config' | 'store' | 'identity'>): string | null => {
  const { moved, project_id } = store.state
  const known = identity()
  if (moved && moved.device_id === known?.device_id) return moved.project_id
  return config.project_id ?? known?.project_id ?? project_id
}

/** The device's facts for the check of a manifest. */
export const factsOf = (device: Device): DeviceFacts => {
  const { config, store, clock } = device
  const projectId = projectOf(device)
  return {
    now: clock.now(),
    projectId,
    hardwareModel: config.hardware_model,
    installedVersion: store.state.installed?.version ?? null,
    // The list names versions of the project that signed it.
    mayReturnTo: store.state.project_id === projectId ? (store.state.may_return_to ?? []) : [],
    rollbackVersion: store.state.rollback_version,
  }
}

export const previousVersion = ({ store }: Device) => store.state.installed?.version ?? null

/** Files that the device itself needs; notes and bills of materials stay on the server. */
export const neededFiles = (manifest: Manifest) =>
  manifest.files.filter(({ kind }) => kind === 'payload' || kind === 'rootfs' || kind === 'archive' || kind === 'hook')
