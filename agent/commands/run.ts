import { fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { DeviceConfig } from '../../contract/device/config'
import { readConfig } from '../../contract/device/config'
import { runAgent } from '../agent'
import { exitCodes, restartCode } from '../core/exit-codes'
import { makeDirectory } from '../core/files'
import { holdLock } from '../core/lock'
import { type Bounds, pollBounds } from '../core/wait'
import { rebootBySystem } from '../update/reboot'

const say = (text: string) => void process.stderr.write(`${text}\n`)

const load = async (path: string, once: boolean): Promise<{ config: DeviceConfig; source: unknown } | null> => {
  let source: unknown
  try {
    source = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    say(`${path}: ${error instanceof Error ? error.message : String(error)}`)
    return null
  }
  const read = await readConfig(source)
  if ('config' in read) return { config: once ? { ...read.config, single_check: true } : read.config, source }
  for (const { field, message } of read.problems) say(`${path}: ${field === '' ? '' : `${field}: `}${message}`)
  return null
}

/** Parses `least-most` in seconds, for tests that cannot wait half a minute. Set by the environment, never by a server. */
const boundsOf = (text: string | undefined): Bounds => {
  const [, least, most] = /^(\d+(?:\.\d+)?)-(\d+)$/.exec(text ?? '') ?? []
  return least === undefined || most === undefined ? pollBounds : { leastS: Number(least), mostS: Number(most) }
}

/** Set for the processes that a launcher starts. */
const launched = 'TEASEL_AGENT_LAUNCHED'
const signals = ['SIGTERM', 'SIGINT'] as const

const stopSignal = (): AbortSignal => {
  const stop = new AbortController()
  for (const name of signals) process.once(name, () => stop.abort())
  // Started with an IPC channel: when the parent has ended, nothing else could stop this process.
  if (process.channel) process.once('disconnect', () => stop.abort())
  return stop.signal
}

/** Turns this process into a launcher: starts the agent again each time it exits with a request for that. */
const becomeLauncher = async (script: string, parameters: readonly string[]): Promise<number> => {
  for (;;) {
    const child = fork(script, [...parameters], { execArgv: [], stdio: 'inherit', env: { ...process.env, [launched]: '1' } })
    const pass = (name: NodeJS.Signals) => void child.kill(name)
    for (const name of signals) process.on(name, pass)
    const code = await new Promise<number>((resolve) => child.once('exit', (ended) => resolve(ended ?? exitCodes.error)))
    for (const name of signals) process.off(name, pass)
    if (code !== restartCode) return code
  }
}

/** `teasel-agent --config device.json` */
export const run = async (configPath: string, once: boolean): Promise<number> => {
  const loaded = await load(configPath, once)
  if (!loaded) return exitCodes.badConfiguration
  const { config, source } = loaded
  makeDirectory(config.persistent_directory)
  const release = await holdLock(config.persistent_directory)
  const stopping = stopSignal()
  const ending = await runAgent(config, source, stopping, boundsOf(process.env['TEASEL_AGENT_POLL_BOUNDS']))
  if ('exit' in ending) return ending.exit
  if (config.reboot_command !== undefined) return (await rebootBySystem(config, stopping)) ? exitCodes.done : exitCodes.error
  await release()
  return process.env[launched] === '1' ? restartCode : becomeLauncher(process.argv[1] ?? '', process.argv.slice(2))
}
