import type { PublicKey } from '../../contract/device/public-key'
import type { ConcurrencyLimit } from './concurrency-limit'
import type { Outcome } from './outcomes'
import type { Incident } from './signals'

/** What all devices of one simulated fleet share, most of it from the command line (`help` in arguments.ts). */
export type FleetOptions = {
  /** The URL of the API host. */
  server: string
  /** The enrollment token for a hardware model. */
  tokenFor: (model: string) => string
  /** The keys that the devices trust. */
  keys: PublicKey[]
  seed: string
  /** Factor for the speed of polls and updates; 1 is real time. */
  speed: number
  /** The outcome of every update; undefined for a random mix. */
  outcome: Outcome | undefined
  backfillHours: number
  metricsIntervalS: number
  /** Factor for the number of log lines. */
  logFactor: number
  limitDownloads: ConcurrencyLimit
  /** Records an incident when it is simulated, to measure how many of them the log summaries find. */
  recordIncident: (serial: string, incident: Incident, ts_ms: number) => void
}
