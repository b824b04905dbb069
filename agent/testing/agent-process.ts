import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import type { DeviceConfig } from '../../contract/device/config'
import type { PublicKey } from '../../contract/device/public-key'
import type { State } from '../state/store'
import type { DeviceServer } from './device-server'

const root = fileURLToPath(new URL('../..', import.meta.url))

const buildOne = async (program: 'agent' | 'fleet'): Promise<string> => {
  const outDir = mkdtempSync(join(tmpdir(), 'teasel-build-'))
  await build({ root, mode: program, logLevel: 'silent', build: { outDir, emptyOutDir: false } })
  return join(outDir, program === 'agent' ? 'teasel-agent.mjs' : 'fleet.mjs')
}

/** Shared by the test files of this process: a build takes as long as several tests. */
const built = new Map<string, Promise<string>>()

/** Builds the agent as delivered, one file, into its own folder. */
export const buildAgent = (program: 'agent' | 'fleet' = 'agent'): Promise<string> => {
  const made = built.get(program) ?? buildOne(program)
  built.set(program, made)
  return made
}

export type AgentSetup = {
  folder: string
  config: DeviceConfig
  configPath: string
  root: string
  state: () => State
  file: (path: string) => string
}

/** Creates a device on this machine: its folders and its device.json. */
export const setUpAgent = (
  server: Pick<DeviceServer, 'url' | 'enrollmentToken'>,
  keys: PublicKey[],
  changes: Partial<DeviceConfig> = {},
): AgentSetup => {
  const folder = mkdtempSync(join(tmpdir(), 'teasel-device-'))
  const config: DeviceConfig = {
    schema: 1,
    server_url: server.url,
    hardware_model: 'gw-imx8m',
    enrollment_token: server.enrollmentToken,
    public_keys: keys,
    persistent_directory: join(folder, 'state'),
    temporary_directory: folder,
    update_mode: 'file',
    install_root: join(folder, 'root'),
    polling_interval_s: 30,
    network_timeout_s: 5,
    download_retries: 5,
    metrics_interval_s: 10,
    logs_enabled: true,
    log_level: 'debug',
    single_check: false,
    stop_after: 'none',
    ...changes,
  }
  const configPath = join(folder, 'device.json')
  writeFileSync(configPath, JSON.stringify(config))
  return {
    folder,
    config,
    configPath,
    root: config.install_root,
    state: () => JSON.parse(readFileSync(join(config.persistent_directory, 'state.json'), 'utf8')) as State,
    file: (path) => readFileSync(join(config.install_root, path), 'utf8'),
  }
}

export type Running = {
  child: ChildProcess
  ended: Promise<number | null>
  output: () => string
  kill: (signal: NodeJS.Signals) => Promise<number | null>
}

/**
 * Options of Node that kill the agent, as a power cut does, when it is about to rename a file to this name: the bytes are
 * written, but the file is not replaced. `round` 2 lets the first rename happen.
 */
export const killAtRename = (name: string, round = 1): readonly string[] => {
  const program = `import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
let left = ${round}
for (const [module, name] of [[fs, 'renameSync'], [fs.promises, 'rename']]) {
  const rename = module[name]
  module[name] = (from, to) => {
    if (String(to).endsWith(${JSON.stringify(`/${name}`)}) && --left === 0) process.kill(process.pid, 'SIGKILL')
    return rename(from, to)
  }
}
syncBuiltinESMExports()`
  return ['--import', `data:text/javascript,${encodeURIComponent(program)}`]
}

/** Options of Node that kill the agent before its so many-th change of a name on the disk: a rename, link, removal or new folder. */
export const killAtWrite = (write: number): readonly string[] => {
  const program = `import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
let left = ${write}
for (const module of [fs, fs.promises])
  for (const name of ['renameSync', 'rmSync', 'mkdirSync', 'rename', 'link', 'rm', 'copyFile', 'symlink']) {
    if (module === fs && !name.endsWith('Sync')) continue
    const change = module[name]
    if (change) module[name] = (...given) => (--left === 0 ? process.kill(process.pid, 'SIGKILL') : undefined, change(...given))
  }
syncBuiltinESMExports()`
  return ['--import', `data:text/javascript,${encodeURIComponent(program)}`]
}

/** Options of Node with which the kernel tells this boot id: the agent of a device that has restarted, or not, since. */
export const bootAs = (bootId: string): readonly string[] => [
  '--import',
  `data:text/javascript,${encodeURIComponent(`import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const read = fs.readFileSync
fs.readFileSync = (path, ...more) => (path === '/proc/sys/kernel/random/boot_id' ? ${JSON.stringify(`${bootId}\n`)} : read(path, ...more))
syncBuiltinESMExports()`)}`,
]

/** Options of Node with which every disk has a TiB free, as one has that another program fills after the agent has looked. */
export const claimFreeSpace: readonly string[] = [
  '--import',
  `data:text/javascript,${encodeURIComponent(`import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const look = fs.statfsSync
fs.statfsSync = (path) => ({ ...look(path), bavail: 2 ** 28, bsize: 4096 })
syncBuiltinESMExports()`)}`,
]

/** Options of Node with which the clock of the agent starts at this time. */
export const startClockAt = (ms: number): readonly string[] => [
  '--import',
  `data:text/javascript,${encodeURIComponent(`Date.now = () => ${ms} + Math.floor(performance.now())`)}`,
]

/**
 * Starts the built agent. It polls as fast as the test's server asks, unless other bounds are given; null for the agent's own.
 */
export const start = (
  agent: string,
  parameters: string[],
  bounds: string | null = '0-604800',
  nodeOptions: readonly string[] = [],
): Running => {
  const child = spawn(process.execPath, [...nodeOptions, agent, ...parameters], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...(bounds !== null && { TEASEL_AGENT_POLL_BOUNDS: bounds }) },
  })
  let text = ''
  child.stdout.on('data', (data: Buffer) => (text += data.toString('utf8')))
  child.stderr.on('data', (data: Buffer) => (text += data.toString('utf8')))
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)))
  return {
    child,
    ended,
    output: () => text,
    kill: (signal) => {
      child.kill(signal)
      return ended
    },
  }
}
