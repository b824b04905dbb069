import { pauseAfter } from '../core/wait'
import { Refused } from '../api-client/http'
import type { SimulatedDevice } from './simulated-device'

/** At least what the server asks for (`Retry-After`), otherwise twice as long with each failure, up to five minutes. */
export const pauseAfterFailure = ({ random }: SimulatedDevice, error: unknown, failures: number): number => {
  const own = Math.min(300_000, 2000 * 2 ** failures) * random.between(0.7, 1.3)
  return pauseAfter(own, error instanceof Refused ? error.retryAfterMs : null)
}

export const isDecommissioned = (error: unknown): boolean => error instanceof Refused && error.code === 'decommissioned'
