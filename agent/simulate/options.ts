import type { PublicKey } from '../../contract/device/public-key'
import type { ConcurrencyLimit } from './concurrency-limit'
import type { HostileKind } from './hostile-kinds'
import type { Outcome } from './outcomes'
import type { Incident } from './signals'

export type Told = null | { reason: string } | { rollout_id: string | null }

/** What all devices of one simulated fleet share, most of it from the command line (`help` in arguments.ts). */
export type FleetOptions = {
  /** The URL of the API host. */
  server: string
  /** The enrollment token for a hardware model. */
  tokenFor: (model: string) => string
  /** The keys that the devices trust; they change with the file of `--keys-file`. */
  keys: readonly PublicKey[]
  /** Whether a device whose token is refused keeps it, and does not enroll again: it may have been deleted. */
  enrollOnce: boolean
  seed: string
  /** Factor for the speed of polls and updates; 1 is real time. */
  speed: number
  /** The devices' own polling interval; undefined for the project's. */
  pollingIntervalS: number | undefined
  /** At any speed a device polls at most this often. The default stays within the server's rate limits. */
  fastestPollMs: number
  /** The outcome of every update; undefined for a random mix. */
  outcome: Outcome | undefined
  backfillHours: number
  metricsIntervalS: number
  /** Factor for the number of log lines. */
  logFactor: number
  /** Scripted incidents of each device in a day. */
  incidentsPerDay: number
  limitDownloads: ConcurrencyLimit
  /** Calls of the backfill of all devices, so that it does not hold up their polls. */
  limitBackfill: ConcurrencyLimit
  /** The path of what a hardware model reports of its secure boot; undefined leaves it to the kind of device. */
  secureBootFile: (model: string) => string | undefined
  /** Records what a device was told about updates: null if the check-in announced none, the rollout that offers a release, or the reason for none. */
  recordAnswer: (serial: string, told: Told) => void
  /** Records what a hostile device did, and the statuses of the answers. */
  recordHostile: (serial: string, kind: HostileKind, statuses: readonly number[]) => void
  /** Records an incident when it is simulated, to measure how many of them the log summaries find. */
  recordIncident: (serial: string, incident: Incident, ts_ms: number) => void
}
