import type { Rollout, WaveStatus } from '../../contract/updates/rollouts'
import { formatCount } from './amounts'
import { pluralize } from './pluralize'
import { formatDate, parseTime } from './dates'
import { type StatusDisplay, rolloutStateDisplay, waveStateDisplay } from './status-display'

// The state is any string: a newer server may have more of them.
type Outcome = Pick<Rollout, 'counts' | 'current_wave'> & {
  state: string
  waves: readonly unknown[] | number
  with_failures?: boolean
}

const failedOf = ({ failed, targeted }: Rollout['counts']) => `${formatCount(failed)} of ${formatCount(targeted)} failed`

/** The state of a rollout; one that ended with failures shows how many, and never as a success. */
export const rolloutDisplay = ({ state, counts, current_wave, waves, with_failures }: Outcome): StatusDisplay => {
  const look = rolloutStateDisplay(state)
  const total = typeof waves === 'number' ? waves : waves.length
  if (state === 'running') return { ...look, word: `${look.word}, wave ${current_wave} of ${total}` }
  // Devices keep the release: the reason names them.
  if (state === 'rolled_back' && with_failures) return { shape: 'warning', word: 'Roll back incomplete' }
  if (state !== 'completed') return look
  if (counts.failed + counts.succeeded === 0) return { shape: 'none', word: 'Completed, no device updated' }
  if (counts.failed === 0) return look
  return { shape: counts.succeeded === 0 ? 'error' : 'warning', word: `Completed with failures: ${failedOf(counts)}` }
}

const stopped: Partial<Record<WaveStatus['state'], string>> = {
  waiting: 'Not opened',
  filling: 'Ended early',
  soaking: 'Ended early',
  retried: 'Ended early',
  waiting_for_user: 'Passed',
}

/** The state of a wave; one continued with failures or after a halt says so, and none is running after its rollout has ended. */
export const waveDisplay = (wave: Pick<WaveStatus, 'state' | 'counts' | 'counts_from'>, ended: boolean): StatusDisplay => {
  const look = waveStateDisplay(wave.state)
  const { failed, succeeded } = wave.counts
  const over = ended ? stopped[wave.state] : undefined
  if (wave.state === 'passed' && failed > 0)
    return succeeded === 0
      ? { shape: 'error', word: 'Failed, resumed anyway' }
      : { shape: 'warning', word: `Passed, ${formatCount(failed)} failed` }
  if (over !== undefined) return { shape: 'none', word: over }
  const isResumed = wave.counts_from !== null && (wave.state === 'filling' || wave.state === 'soaking')
  return isResumed ? { ...look, word: `${look.word}, resumed` } : look
}

export type Waiting = Pick<Rollout, 'start_at' | 'requires_approval' | 'counts' | 'current_wave'> & {
  state: string
  /** The names of the people who created it or requested approval. */
  asked_by: readonly string[]
}

const manager = 'someone who may manage releases'

/** What a paused rollout waits for, and for whom; undefined for one that runs or has ended. */
export const describeWait = (rollout: Waiting): string | undefined => {
  const { state, start_at, requires_approval, asked_by, counts, current_wave } = rollout
  const others = asked_by.length === 0 ? '' : ` other than ${asked_by.join(' or ')}`
  const approver = `someone who may approve releases${others}`
  switch (state) {
    case 'draft':
      return requires_approval ? `Not started: waits until ${manager} asks for approval` : `Not started: waits for ${manager}`
    case 'pending_approval':
      return `Waits for approval by ${approver}`
    case 'scheduled':
      return start_at === null ? 'Approved, starts within a minute' : `Starts at ${formatDate(parseTime(start_at))}`
    case 'waiting_for_user':
      return `Wave ${current_wave} has passed: waits until ${manager} opens the next one`
    case 'paused':
    case 'halted':
      return counts.waiting === 0
        ? `Waits until ${manager} resumes it`
        : `${pluralize(counts.waiting, 'device waits', 'devices wait')}; resume to continue`
    default:
      return undefined
  }
}

/** The names of the people who may not approve it: who created it, and who requested approval. */
export const askersOf = ({ created_by, approval }: Pick<Rollout, 'created_by' | 'approval'>): string[] => [
  ...new Set([created_by?.name, approval?.asked_by].flatMap((name) => name ?? [])),
]
