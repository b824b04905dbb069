import { type ChildProcess, spawn } from 'node:child_process'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Deps } from '../core/deps'
import { root } from '../core/root'
import type { Demo } from './demo-directory'

const RETRIES = 5
/** The charts of a new demo show a day. */
const BACKFILL_HOURS = 24

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

const argumentsOf = ({ enrollmentToken, publicKeyPath, classes, installed, stateDirectory }: Demo['fleet']) =>
  Object.entries({
    'enrollment-token': [enrollmentToken],
    'public-key': [publicKeyPath],
    classes: [classes.join(',')],
    state: [stateDirectory],
    installed,
  }).flatMap(([name, values]) => values.flatMap((value) => [`--${name}`, value]))

/** Starts the simulated devices: a process that uses only the public device API. It ends when this process does. */
export const startFleet = async ({ config, log }: Pick<Deps, 'config' | 'log'>, { fleet }: Demo, devices: number) => {
  const output = await open(join(fleet.stateDirectory, '../fleet.log'), 'a', 0o600)
  let stopped = false
  let child: ChildProcess
  const launch = (attempt: number) => {
    const command = [
      join(root, 'dist/agent/fleet.mjs'),
      '--server',
      config.urls.api,
      '--devices',
      String(devices),
      '--backfill',
      String(BACKFILL_HOURS),
      ...argumentsOf(fleet),
    ]
    child = spawn(process.execPath, command, { stdio: ['ignore', output.fd, output.fd, 'ipc'] })
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
