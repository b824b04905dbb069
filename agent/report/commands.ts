import { arch, loadavg, platform, totalmem, uptime } from 'node:os'
import type { Command } from '../../contract/device/api'
import { client } from '../core/version'
import type { Device } from '../device'

export type LocalRequest = 'check_now' | 'reboot' | null

const diagnostics = ({ config, configHash, store, trust, bootId }: Device): string =>
  JSON.stringify(
    {
      client: { ...client, config_hash: configHash },
      node: process.version,
      platform: `${platform()}/${arch()}`,
      boot_id: bootId,
      uptime_s: Math.round(uptime()),
      load: loadavg(),
      memory_total_bytes: totalmem(),
      process_memory_bytes: process.memoryUsage.rss(),
      update_mode: config.update_mode,
      trusted_keys: trust.fingerprints(),
      key_list: trust.counter(),
      installed: store.state.installed,
      update: store.state.attempt && { ...store.state.attempt, envelope: undefined },
      events_waiting: store.state.events.length,
    },
    null,
    2,
  )

const carryOut = async (device: Device, { command }: Command): Promise<{ output: string; asked: LocalRequest }> => {
  switch (command) {
    case 'check_now':
      return { output: 'Checking for updates', asked: 'check_now' }
    case 'reboot':
      return { output: 'Restarting', asked: 'reboot' }
    case 'send_logs': {
      while (await device.log.flush(device.api));
      return { output: 'Logs sent', asked: null }
    }
    case 'collect_diagnostics':
      return { output: diagnostics(device), asked: null }
    default:
      throw new Error(`This client does not know the command ${command}`)
  }
}

/** Runs a command of the server and reports the result; returns what the main loop has to do. */
export const runCommand = async (device: Device, command: Command): Promise<LocalRequest> => {
  device.log.info(`Command ${command.command}`)
  try {
    const { output, asked } = await carryOut(device, command)
    await device.api.command(command.id, { state: 'done', output })
    return asked
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    await device.api.command(command.id, { state: 'failed', output: message })
    return null
  }
}
