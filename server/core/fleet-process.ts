import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Deps } from './deps'
import { root } from './root'

const RETRIES = 5
const built = join(root, 'dist/agent/fleet.mjs')
const command = () => (existsSync(built) ? [built] : ['--import', 'tsx', join(root, 'agent/fleet.ts')])

const stop = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    const end = setTimeout(() => child.kill('SIGKILL'), 3000)
    child.once('exit', () => {
      clearTimeout(end)
      resolve()
    })
    child.kill('SIGTERM')
  })

/** Values by the names of the options in agent/simulate/arguments.ts; an option without a value has an empty list. */
export type FleetArguments = Readonly<Record<string, readonly string[]>>

const toWords = (given: FleetArguments) =>
  Object.entries(given).flatMap(([name, values]) =>
    values.length === 0 ? [`--${name}`] : values.flatMap((value) => [`--${name}`, value]),
  )

/**
 * Starts simulated devices: a process that uses only the public device API. It ends when this process does. Call the result to
 * stop it.
 */
export const startFleetProcess = async (
  { config, log }: Pick<Deps, 'config' | 'log'>,
  logFile: string,
  given: FleetArguments,
): Promise<() => Promise<void>> => {
  const output = await open(logFile, 'a', 0o600)
  let stopped = false
  let child: ChildProcess
  const words = [...command(), ...toWords({ server: [config.urls.api], ...given })]
  const launch = (attempt: number) => {
    child = spawn(process.execPath, words, { cwd: root, stdio: ['ignore', output.fd, output.fd, 'ipc'] })
    child.once('exit', (code) => {
      if (stopped) return
      log.warn({ code }, 'the fleet ended')
      // The fleet of a killed start may still hold its lock for a moment.
      if (attempt < RETRIES) void pause(2000).then(() => stopped || launch(attempt + 1))
    })
  }
  launch(1)
  return async () => {
    stopped = true
    await stop(child)
    await output.close()
  }
}
