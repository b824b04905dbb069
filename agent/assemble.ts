import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { configHash, type DeviceConfig } from '../contract/device/config'
import { clockFrom } from './core/clock'
import { makeDirectory, removeUnfinished } from './core/files'
import type { Bounds } from './core/wait'
import { type Device, projectOf } from './device'
import { createCommandQueue } from './report/commands'
import { logOf } from './report/log'
import { deviceApi } from './api-client/device-api'
import type { Connection } from './api-client/http'
import { type Identity, readIdentity } from './state/identity'
import { openTrust } from './state/key-list'
import { outboxOf } from './state/outbox'
import { openStore } from './state/store'
import { agentPaths } from './update/paths'

/** The kernel's boot id where the system restarts, the start of the process where the agent restarts itself. */
const bootIdOf = (config: DeviceConfig): string => {
  try {
    if (config.reboot_command !== undefined) return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    // Not Linux: the start of the process is used.
  }
  return randomUUID()
}

/** Creates one agent from its configuration and its stored state. `source` is the content of device.json. */
export const assemble = async (
  config: DeviceConfig,
  source: unknown,
  stopping: AbortSignal,
  bounds: Bounds,
): Promise<{ device: Device; become: (identity: Identity | null) => void }> => {
  const paths = agentPaths(config)
  makeDirectory(config.persistent_directory)
  removeUnfinished(config.persistent_directory, () => true)
  removeUnfinished(dirname(paths.bootRecord), (name) => name === basename(paths.bootRecord))
  const store = openStore(config.persistent_directory)
  const clock = clockFrom(store.state.signed_floor_ms)
  const bootId = bootIdOf(config)
  let identity = readIdentity(config)
  const connection: Connection = {
    origin: config.server_url,
    timeoutMs: config.network_timeout_s * 1000,
    token: () => identity?.next_token ?? identity?.device_token ?? null,
    onDate: clock.atLeast,
    bounds,
  }
  const device: Device = {
    config,
    configHash: await configHash(source),
    bootId,
    paths,
    store,
    trust: openTrust(config, () => ({
      projectId: projectOf({ config, store, identity: () => identity }),
      counters: store.state.key_list_counters ?? {},
    })),
    clock,
    log: logOf(store, clock, { level: config.log_level, upload: config.logs_enabled, bootId }),
    outbox: outboxOf(store, clock, bootId),
    commands: createCommandQueue(store, bootId),
    connection,
    api: deviceApi(connection),
    identity: () => identity,
    stopping,
  }
  return { device, become: (found) => void (identity = found) }
}
