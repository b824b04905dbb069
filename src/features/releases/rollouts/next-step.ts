import type { Rollout } from '../../../../contract/rollouts'
import { formatCount } from '../../../lib/amounts'
import { formatAhead, parseTime } from '../../../lib/dates'
import { pluralize } from '../../../lib/pluralize'
import { askersOf, describeWait } from '../../../lib/rollout-status'

/** Devices that no gate counts: held, skipped or cancelled. */
export const leftOutOf = ({ targeted, succeeded, failed, running, waiting }: Rollout['counts']): number =>
  targeted - succeeded - failed - running - waiting

/** The outcome so far: "2 of 13 failed, 4 succeeded, 1 left out". A claim is no success: "12 confirmed, 3 claimed". */
export const describeOutcome = ({ counts, started_at }: Rollout): string => {
  const { succeeded, failed, claimed, targeted } = counts
  if (started_at === null) return `${pluralize(targeted, 'device')} targeted`
  const leftOut = leftOutOf(counts)
  const rest = leftOut > 0 ? `, ${formatCount(leftOut)} left out` : ''
  if (claimed > 0) {
    const lost = failed > 0 ? `${formatCount(failed)} of ${formatCount(targeted)} failed, ` : ''
    return `${lost}${formatCount(succeeded)} confirmed, ${formatCount(claimed)} claimed${rest}`
  }
  if (failed === 0) return `${formatCount(succeeded)} of ${formatCount(targeted)} succeeded${rest}`
  const others = succeeded > 0 ? `, ${formatCount(succeeded)} succeeded` : ''
  return `${formatCount(failed)} of ${formatCount(targeted)} failed${others}${rest}`
}

const describeRunning = ({ waves, current_wave, counts }: Rollout, now: Date): string | undefined => {
  const wave = waves.find(({ n }) => n === current_wave)
  const next = waves.find(({ n }) => n > current_wave)
  if (!wave) return undefined
  const rest = counts.running + counts.waiting
  if (wave.state !== 'soaking' || wave.soak_until === null)
    return next
      ? `Wave ${next.n} opens when wave ${wave.n} passes its gate`
      : `Ends when ${pluralize(rest, 'more device has', 'more devices have')} ended`
  const when = formatAhead(parseTime(wave.soak_until), now)
  if (!next) return rest === 0 ? `Ends ${when}` : `Ends when ${pluralize(rest, 'more device has', 'more devices have')} ended`
  return wave.gate.then === 'wait_for_user'
    ? `Waits for a person before wave ${next.n}, ${when} at the earliest`
    : `Wave ${next.n} opens ${when}`
}

/** What happens next, and who has to act; undefined after the end. */
export const describeNext = (rollout: Rollout, now: Date): string | undefined => {
  switch (rollout.state) {
    case 'running':
      return describeRunning(rollout, now)
    case 'rolling_back':
      return 'Ends when every device has returned, keeps the release or is offline'
    case 'cancelling':
      return `Ends when ${pluralize(rollout.counts.running, 'running update has', 'running updates have')} ended`
    default:
      return describeWait({ ...rollout, asked_by: askersOf(rollout) })
  }
}
