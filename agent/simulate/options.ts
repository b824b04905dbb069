import type { PublicKey } from '../../contract/device/public-key'
import type { Outcome } from './outcomes'
import type { Incident } from './signals'

/** What all devices of one fleet share. */
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
  /** Lets a few downloads run at once and no more. */
  turn: <T>(work: () => Promise<T>) => Promise<T>
  /** Ground truth: what was truly made to happen, for measuring what is found in the logs. */
  truth: (serial: string, incident: Incident, ts_ms: number) => void
}

/** At most `width` at a time, the others in line. */
export const turnstile = (width: number): FleetOptions['turn'] => {
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
