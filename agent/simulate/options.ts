import type { PublicKey } from '../../contract/device/public-key'
import type { Outcome } from './outcomes'
import type { Incident } from './signals'

/** Options shared by all devices of one fleet. */
export type FleetOptions = {
  server: string
  tokenFor: (model: string) => string
  keys: PublicKey[]
  seed: string
  speed: number
  outcome: Outcome | undefined
  backfillHours: number
  metricsIntervalS: number
  logShare: number
  /** Limits the number of concurrent downloads. */
  turn: <T>(work: () => Promise<T>) => Promise<T>
  /** Records the incidents that were really simulated, to measure what the log summaries find. */
  truth: (serial: string, incident: Incident, ts_ms: number) => void
}

/** Runs at most `width` tasks at a time; the others wait in order. */
export const createConcurrencyLimit = (width: number): FleetOptions['turn'] => {
  let free = width
  const line: (() => void)[] = []
  return async (work) => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => line.push(resolve))
    try {
      return await work()
    } finally {
      const next = line.shift()
      if (next) next()
      else free++
    }
  }
}
