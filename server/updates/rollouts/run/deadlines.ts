import type { Protocol } from '../../../../contract/ddi/confirm'
import type { Backoff } from '../../../../contract/updates/rollout-plans'
import type { UpdateState } from '../../../../contract/device/update-events'
import { leastSilenceS } from '../../../fleet/devices/next-poll'

type Timed = { state: UpdateState; since: Date; offeredAt: Date | null; grownAt: Date | null }
/** `confirmWithinS`: of the hardware model. */
type Limits = { protocol: Protocol; pollingIntervalS: number; updateTimeoutS: number; confirmWithinS: number }

const minutes = (count: number) => count * 60
const after = (moment: Date, seconds: number) => new Date(moment.getTime() + seconds * 1000)
const earlier = (a: Date, b: Date) => (a < b ? a : b)

/** A hawkBit client may poll at the interval that it was told before the offer, or at the one of an update. */
const silenceLimitS = ({ protocol, pollingIntervalS }: Limits) =>
  protocol === 'ddi' ? Math.max(2 * pollingIntervalS, leastSilenceS) : 2 * pollingIntervalS

/** When an update without progress times out; null in states without a limit. */
export const deadlineOf = ({ state, since, offeredAt, grownAt }: Timed, limits: Limits): Date | null => {
  const whole = after(offeredAt ?? since, limits.updateTimeoutS)
  switch (state) {
    case 'offered':
      return after(since, silenceLimitS(limits))
    case 'downloading':
      return earlier(whole, after(grownAt ?? since, minutes(15)))
    case 'downloaded':
    case 'verifying':
    case 'installing':
      return after(since, limits.updateTimeoutS)
    case 'rebooting':
      return after(since, limits.protocol === 'ddi' ? limits.confirmWithinS : minutes(15))
    case 'claimed':
      return after(since, limits.confirmWithinS)
    case 'validating':
      return after(since, minutes(30))
    default:
      return null
  }
}

/** The shortest time after which an update in this state can time out, in seconds; null in states without a limit. */
export const shortestLimitS = (state: UpdateState, limits: Limits): number | null => {
  const start = new Date(0)
  const deadline = deadlineOf({ state, since: start, offeredAt: start, grownAt: start }, limits)
  return deadline && deadline.getTime() / 1000
}

/** How long a device waits before the next attempt, in seconds. */
export const backOffS = (failedAttempts: number, { first_s, factor, max_s }: Backoff): number =>
  Math.min(max_s, first_s * factor ** Math.max(0, failedAttempts - 1))
