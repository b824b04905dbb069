import { type NextWait, nextWaitSample, type Rollout } from '../../../../contract/updates/rollouts'
import { formatCount } from '../../../lib/amounts'
import { formatAhead, formatDate, parseTime } from '../../../lib/dates'
import { formatDue } from '../../../lib/due'
import { pluralize } from '../../../lib/pluralize'
import { askersOf, describeWait } from '../../../lib/rollout-status'

/** Devices that no gate counts: held, skipped or cancelled. */
export const leftOutOf = ({ targeted, succeeded, failed, running, waiting }: Rollout['counts']): number =>
  targeted - succeeded - failed - running - waiting

const labelOf = ({ version, display_version: display }: Rollout['ways_back'][number]) => display ?? `v${version}`

/** What became of those that succeeded, after a rollback: "12 of them back at 1.0.0 since". */
const describeReturned = ({ ways_back: ways }: Rollout): string => {
  const returned = ways.reduce((sum, way) => sum + way.returned, 0)
  if (returned === 0) return ''
  const versions = new Set(ways.filter((way) => way.returned > 0).map(labelOf))
  return `, ${formatCount(returned)} of them back at ${[...versions].join(' and ')} since`
}

/** The outcome so far: "2 of 13 failed, 4 succeeded, 1 left out". A claim is no success: "12 confirmed, 3 claimed". */
export const describeOutcome = (rollout: Rollout): string => {
  const { counts, started_at } = rollout
  const { succeeded, failed, claimed, targeted } = counts
  if (started_at === null) return `${pluralize(targeted, 'device')} targeted`
  const leftOut = leftOutOf(counts)
  const rest = `${describeReturned(rollout)}${leftOut > 0 ? `, ${formatCount(leftOut)} left out` : ''}`
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

/** Which device is next, when, and for what it waits until then: the reason that its row has. */
export const describeNextWait = (
  { counts, next_wait: wait }: Pick<Rollout, 'counts'> & { next_wait: NextWait | null },
  now: Date,
): string | undefined => {
  if (!wait) return undefined
  const lead = counts.waiting > nextWaitSample ? 'Among the next is' : 'Next is'
  const reason = wait.reason.charAt(0).toLowerCase() + wait.reason.slice(1)
  if (wait.until === null) return `${lead} ${wait.device_name}: ${reason}`
  const until = parseTime(wait.until)
  return `${lead} ${wait.device_name} at ${formatDate(until)} (${formatDue(until, now)}): ${reason}`
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
