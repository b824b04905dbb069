import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Installed } from '../../contract/device/api'
import { type PublicKey, publicKeyFromPem } from '../../contract/device/public-key'
import { classes, type DeviceClass } from './classes'
import { type HostileKind, hostileKinds } from './hostile-kinds'
import { createConcurrencyLimit } from './concurrency-limit'
import { outcomes } from './outcomes'
import type { FleetOptions } from './options'

export const help = `fleet: many simulated devices in one process, over the public device API only

  node fleet.mjs --server URL --enrollment-token TOKEN (--public-key FILE | --keys-file FILE) --state DIR [options]

  --server URL               the API host
  --enrollment-token TOKEN   for all models, or MODEL=TOKEN for one; may be repeated
  --public-key FILE          PEM of a key that the devices trust; may be repeated
  --keys-file FILE           PEM of any number of keys that the devices trust too; read again when it changes
  --state DIR                where the devices store their state
  --devices N                how many (12)
  --classes LIST             of ${classes.map(({ id }) => id).join(', ')} (all)
  --seed S                   the same seed makes the same fleet (1)
  --speed F                  1 to 600: speed of polls and updates, as a factor (10)
  --fastest-poll S           1 to 60: least seconds between two polls, at any speed (10)
  --polling-interval S       30 to 604800: the devices' own interval in seconds, before the speed (the project's)
  --metrics-interval S       seconds between two measurements (60)
  --log-share F              0 to 10: amount of log lines, as a factor (1)
  --incidents N              0 to 1440: scripted incidents of each device in a day (0)
  --hostile LIST             one more device for each of these kinds, or all: ${hostileKinds.join(', ')}
  --backfill HOURS           measurements, warnings and errors to send after the first check-in, 0 to 160 (0)
  --installed ID:VERSION     the release that new devices come with, or MODEL=ID:VERSION; may be repeated
  --secure-boot MODEL=FILE   JSON with the secure boot state that a model reports, read at each check-in; may be repeated
  --enroll-once              a device whose token is refused does not enroll again
  --outcome NAME             how every update ends: ${outcomes.join(', ')}

  In DIR, ground-truth.ndjson has the simulated incidents, hostile.ndjson what hostile devices did and the answers to it, answers.ndjson what each device was told about updates when that changed.
`

export class Usage extends Error {}

export type Arguments = {
  options: Omit<FleetOptions, 'keys' | 'recordIncident' | 'recordAnswer' | 'recordHostile'>
  keys: PublicKey[]
  keysFile: string | undefined
  directory: string
  count: number
  among: DeviceClass[]
  hostile: HostileKind[]
  /** The release that a new device of a model has from the factory. */
  factory: (model: string) => Installed | null
}

const text = { type: 'string' } as const
const many = { type: 'string', multiple: true } as const
const known = {
  server: text,
  state: text,
  devices: text,
  classes: text,
  seed: text,
  speed: text,
  'fastest-poll': text,
  outcome: text,
  backfill: text,
  'enrollment-token': many,
  'public-key': many,
  installed: many,
  'secure-boot': many,
  'metrics-interval': text,
  'log-share': text,
  incidents: text,
  hostile: text,
  'keys-file': text,
  'polling-interval': text,
  'enroll-once': { type: 'boolean' },
  help: { type: 'boolean' },
} as const

const needed = <T>(value: T | undefined, name: string): T => {
  if (value === undefined) throw new Usage(`--${name} is required`)
  return value
}
const number = (value: string | undefined, name: string, least: number, most: number, otherwise: number): number => {
  const given = value === undefined ? otherwise : Number(value)
  if (!(given >= least && given <= most)) throw new Usage(`--${name} is a number from ${least} to ${most}`)
  return given
}
/** `MODEL=VALUE` for one model takes precedence over a plain `VALUE` for all. */
const forModel = (given: readonly string[], model: string): string | undefined =>
  given.find((one) => one.startsWith(`${model}=`))?.slice(model.length + 1) ?? given.find((one) => !one.includes('='))

const keysOf = async (paths: readonly string[]): Promise<PublicKey[]> => {
  const keys: PublicKey[] = []
  for (const path of paths) {
    const key = await publicKeyFromPem(readFileSync(path, 'utf8'))
    if (!key) throw new Usage(`${path} is not an Ed25519 or P-256 public key in PEM`)
    keys.push(key)
  }
  return keys
}

const classesOf = (list: string | undefined): DeviceClass[] => {
  const wanted = list?.split(',') ?? classes.map(({ id }) => id)
  const unknown = wanted.find((id) => !classes.some((kind) => kind.id === id))
  if (unknown !== undefined) throw new Usage(`--classes: there is no class "${unknown}"`)
  return classes.filter(({ id }) => wanted.includes(id))
}

const hostileOf = (list: string | undefined): HostileKind[] => {
  if (list === undefined) return []
  if (list === 'all') return [...hostileKinds]
  return list.split(',').map((name) => {
    const kind = hostileKinds.find((one) => one === name)
    if (!kind) throw new Usage(`--hostile is all or of ${hostileKinds.join(', ')}`)
    return kind
  })
}

const factoryOf =
  (given: readonly string[]) =>
  (model: string): Installed | null => {
    const own = forModel(given, model)
    if (own === undefined) return null
    const [, release_id, version] = /^([0-9A-HJKMNP-TV-Z]{26}):([1-9]\d{0,15})$/.exec(own) ?? []
    if (release_id === undefined) throw new Usage('--installed is a release id, a colon and a version')
    return { release_id, version: Number(version), slot: null, confirmed: true }
  }

/** Parses the command line; null when only help was asked for. */
export const readArguments = async (args: string[]): Promise<Arguments | null> => {
  const { values } = parseArgs({ args, options: known })
  if (values.help) return null
  const tokens = needed(values['enrollment-token'], 'enrollment-token')
  const outcome = outcomes.find((name) => name === values.outcome)
  if (values.outcome !== undefined && !outcome) throw new Usage(`--outcome is one of ${outcomes.join(', ')}`)
  const { 'keys-file': keysFile, 'public-key': keyPaths } = values
  return {
    keys: await keysOf(keysFile === undefined ? needed(keyPaths, 'public-key') : (keyPaths ?? [])),
    keysFile,
    directory: needed(values.state, 'state'),
    count: number(values.devices, 'devices', 1, 10_000, 12),
    among: classesOf(values.classes),
    hostile: hostileOf(values.hostile),
    factory: factoryOf(values.installed ?? []),
    options: {
      server: needed(values.server, 'server'),
      tokenFor: (model) => forModel(tokens, model) ?? '',
      seed: values.seed ?? '1',
      speed: number(values.speed, 'speed', 1, 600, 10),
      fastestPollMs: 1000 * number(values['fastest-poll'], 'fastest-poll', 1, 60, 10),
      outcome,
      backfillHours: number(values.backfill, 'backfill', 0, 160, 0),
      pollingIntervalS:
        values['polling-interval'] === undefined
          ? undefined
          : number(values['polling-interval'], 'polling-interval', 30, 604_800, 60),
      metricsIntervalS: number(values['metrics-interval'], 'metrics-interval', 1, 3600, 60),
      logFactor: number(values['log-share'], 'log-share', 0, 10, 1),
      incidentsPerDay: number(values.incidents, 'incidents', 0, 1440, 0),
      secureBootFile: (model) => forModel(values['secure-boot'] ?? [], model),
      enrollOnce: values['enroll-once'] ?? false,
      limitDownloads: createConcurrencyLimit(2),
      limitBackfill: createConcurrencyLimit(2),
    },
  }
}
