import { arch, loadavg, platform, totalmem, uptime } from 'node:os'
import type { Command } from '../../contract/device/api'
import { reasonOf, Refused } from '../api-client/http'
import { client } from '../core/version'
import type { Device } from '../device'
import type { CommandResult, Store } from '../state/store'

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
      return { output: 'Restarted', asked: 'reboot' }
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

const run = async (device: Device, command: Command): Promise<{ result: CommandResult; asked: LocalRequest }> => {
  device.log.info(`Command ${command.command}`)
  try {
    const { output, asked } = await carryOut(device, command)
    return { result: { id: command.id, state: 'done', output }, asked }
  } catch (error) {
    return { result: { id: command.id, state: 'failed', output: reasonOf(error) }, asked: null }
  }
}

/** A result that the server will refuse each time: the command is unknown or its output unusable. */
const isFinal = (error: unknown) => error instanceof Refused && [400, 404, 410, 413, 422].includes(error.status)

const maxKeptResults = 100

/** A restart includes a check for updates. */
export const strongerRequest = (one: LocalRequest, other: LocalRequest): LocalRequest =>
  one === 'reboot' || other === null ? one : other

const forgetRestarts = (store: Store) => {
  try {
    store.change({ restarts: undefined })
  } catch {
    // A full disk: the next process reports them once more.
  }
}

/**
 * The commands that the server has sent, which it does once, and their results until the server has them. Results are kept on disk,
 * because a command may restart the device before its result is sent.
 */
export const createCommandQueue = (store: Store, bootId: string) => {
  let waiting: Command[] = []
  // What an earlier process was to do: only another boot shows that the device has restarted.
  const restarts = (store.state.restarts ?? []).map(({ id, boot_id: before }): CommandResult =>
    before === bootId
      ? { id, state: 'failed', output: 'The device did not restart' }
      : { id, state: 'done', output: 'Restarted' },
  )
  let results: readonly CommandResult[] = [...(store.state.command_results ?? []), ...restarts]

  const keep = (next: readonly CommandResult[]) => {
    results = next.slice(-maxKeptResults)
    try {
      store.change({ command_results: results.length > 0 ? [...results] : undefined })
    } catch {
      // A full disk: the results stay in memory.
    }
  }
  if (restarts.length > 0) {
    keep(results)
    forgetRestarts(store)
  }

  /** Whether the result of a restart can wait on disk until the device has restarted. */
  const keepForRestart = ({ id }: CommandResult): boolean => {
    try {
      store.change({ restarts: [...(store.state.restarts ?? []), { id, boot_id: bootId }] })
      return true
    } catch {
      return false
    }
  }

  const report = async ({ api, log }: Device): Promise<void> => {
    for (const result of results) {
      const { id, ...body } = result
      try {
        await api.command(id, body)
      } catch (error) {
        log.warning(`The result of a command was not sent: ${reasonOf(error)}`)
        if (!isFinal(error)) return
      }
      keep(results.filter((one) => one !== result))
    }
  }

  return {
    /** Takes the commands of an answer. */
    add: (commands: readonly Command[]) => void (waiting = [...waiting, ...commands]),
    /** Carries out all commands, reports their results and earlier ones, and returns what the main loop has to do. Never throws. */
    run: async (device: Device): Promise<LocalRequest> => {
      let request: LocalRequest = null
      while (waiting.length > 0) {
        const [command, ...others] = waiting
        waiting = others
        if (!command) continue
        const { result, asked } = await run(device, command)
        request = strongerRequest(request, asked)
        if (asked !== 'reboot' || !keepForRestart(result)) keep([...results, result])
      }
      await report(device)
      return request
    },
  }
}
export type CommandQueue = ReturnType<typeof createCommandQueue>
