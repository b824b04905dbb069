import type { Rollout } from '../../../../contract/updates/rollouts'
import { formatDate, parseTime } from '../../../lib/dates'
import { pluralize } from '../../../lib/pluralize'
import { describeRetry } from '../../../lib/retry-text'

/** Steps that need no input but a reason. */
export type SimpleStep = 'submit' | 'start' | 'startNow' | 'pause' | 'resume' | 'halt' | 'continue' | 'retryFailed'

type StepText = {
  title: string
  /** What happens to the devices. */
  consequence: string
  verb: string
  busyVerb: string
  /** The label of the field for a reason, if the step takes one. */
  asks?: string
  isDanger?: boolean
}

const runningGoOn = ({ counts: { running } }: Rollout) =>
  running === 0 ? 'No update is running.' : `${pluralize(running, 'running update continues', 'running updates continue')}.`

const whenItStarts = ({ start_at }: Rollout, now: Date) => {
  const start = start_at === null ? now : parseTime(start_at)
  return start > now ? `at ${formatDate(start)}` : 'at once'
}

const nextWave = ({ waves, current_wave }: Rollout): string => {
  const wave = waves.find(({ n }) => n > current_wave)
  if (!wave) return 'No further wave: the rollout continues to its end.'
  const devices = pluralize(wave.counts.targeted, 'device is', 'devices are')
  return `Wave ${wave.n} opens: ${devices} offered the release.`
}

const offersAgain = ({ counts: { waiting } }: Rollout) =>
  waiting === 0
    ? 'No devices are waiting: the rollout continues to its end.'
    : `${pluralize(waiting, 'waiting device is', 'waiting devices are')} offered the release again.`

/** The words of a step, with what it does to the devices. */
export const stepText = (step: SimpleStep, rollout: Rollout, now: Date): StepText => {
  const { name, counts } = rollout
  const devices = pluralize(counts.targeted, 'device')
  switch (step) {
    case 'submit':
      return {
        title: `Ask for approval of ${name}?`,
        consequence: `Another person who may approve releases has to approve it. Then it starts ${whenItStarts(rollout, now)}, for ${devices}.`,
        verb: 'Ask for approval',
        busyVerb: 'Asking...',
        asks: 'Comment',
      }
    case 'start':
      return {
        title: `Start ${name}?`,
        consequence: `It starts ${whenItStarts(rollout, now)}, for ${devices}.`,
        verb: 'Start',
        busyVerb: 'Starting...',
      }
    case 'startNow':
      return {
        title: `Start ${name} now?`,
        consequence: `It starts at once and not at its start time, for ${devices}.`,
        verb: 'Start now',
        busyVerb: 'Starting...',
      }
    case 'pause':
      return {
        title: `Pause ${name}?`,
        consequence: `No new updates start until it is resumed. ${runningGoOn(rollout)}`,
        verb: 'Pause',
        busyVerb: 'Pausing...',
        asks: 'Reason',
      }
    case 'resume':
      return {
        title: `Resume ${name}?`,
        consequence: offersAgain(rollout),
        verb: 'Resume',
        busyVerb: 'Resuming...',
        asks: 'Reason',
      }
    case 'halt':
      return {
        title: `Halt ${name}?`,
        consequence: `No new updates start. ${runningGoOn(rollout)} Updated devices keep the release. Resuming it needs a reason.`,
        verb: 'Halt',
        busyVerb: 'Halting...',
        asks: 'Reason',
        isDanger: true,
      }
    case 'continue':
      return {
        title: `Open the next wave of ${name}?`,
        consequence: nextWave(rollout),
        verb: 'Open next wave',
        busyVerb: 'Opening...',
      }
    case 'retryFailed':
      return {
        title: `Retry the failed devices of ${name}?`,
        consequence: describeRetry(rollout),
        verb: 'Retry failed',
        busyVerb: 'Retrying...',
      }
  }
}
