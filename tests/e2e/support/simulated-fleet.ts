import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ended, root } from './product'

/** The last answer about updates: none was announced, a rollout offered a release, or the reason for none. */
export type Told = null | { rollout_id: string } | { reason: string }
export type Answer = { told: Told; at: number }

type Fleet = {
  api: string
  token: string
  publicKey: string
  directory: string
  devices: number
  installed?: string
  /** Options of the program that differ from those below. */
  options?: Record<string, string>
}
type Change = { serial: string; told: Told; ts_ms: number }
type Memory = { identity: { device_id: string } | null }

const readMemory = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Memory

/** Simulated devices, gateways unless other options are given, as a separate process, which can be stopped and started again with the same devices. */
export const simulatedFleet = ({ api, token, publicKey, directory, devices, installed, options: others }: Fleet) => {
  const start = (outcome: string) => {
    const options = {
      server: api,
      'enrollment-token': token,
      'public-key': publicKey,
      state: directory,
      devices: String(devices),
      ...(installed !== undefined && { installed }),
      outcome,
      seed: basename(directory),
      classes: 'gateway',
      speed: '600',
      'fastest-poll': '2',
      'metrics-interval': '3600',
      'log-share': '0',
      ...others,
    }
    const given = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
    const child = spawn(process.execPath, [join(root, 'dist/agent/fleet.mjs'), ...given], { stdio: 'ignore' })
    const stop = () => {
      child.kill('SIGTERM')
      return ended(child)
    }
    return stop
  }
  let stop: ReturnType<typeof start> | undefined
  return {
    start: (outcome: string) => {
      stop = start(outcome)
    },
    stop: async () => {
      await stop?.()
      stop = undefined
    },
    /** What each device was told last, by the id of the device; from the devices' own record. */
    answers: (): Map<string, Answer> => {
      if (!existsSync(directory)) return new Map()
      const serials = new Map(
        readdirSync(directory)
          .filter((name) => name.endsWith('.json'))
          .map((name) => [name.slice(0, -5), readMemory(join(directory, name)).identity?.device_id]),
      )
      const record = join(directory, 'answers.ndjson')
      const lines = existsSync(record) ? readFileSync(record, 'utf8').split('\n').slice(0, -1) : []
      const changes = lines.map((line) => JSON.parse(line) as Change)
      return new Map(
        changes.flatMap(({ serial, told, ts_ms }) =>
          serials.get(serial) ? [[serials.get(serial) ?? '', { told, at: ts_ms }]] : [],
        ),
      )
    },
  }
}
export type SimulatedFleet = ReturnType<typeof simulatedFleet>
