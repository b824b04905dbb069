import type { AnyStateMachine } from 'xstate'
import { nodesOf } from '../rows'
import { layoutOf } from './layout'
import { type StateTone, svgOf } from './svg'

const moods: Record<Exclude<StateTone, 'plain'>, readonly string[]> = {
  good: [
    'signedIn',
    'ready',
    'done',
    'succeeded',
    'saved',
    'live',
    'completed',
    'released',
    'online',
    'open.live',
    'personal',
    'current',
    'in_use',
    'verified',
  ],
  bad: [
    'stuck',
    'failed',
    'rejected',
    'timed_out',
    'denied',
    'revoked',
    'offline',
    'unreachable',
    'tooLong',
    'choosing.failed',
    'mismatch',
  ],
  late: [
    'rolled_back',
    'halted',
    'deferring',
    'deferred',
    'waiting',
    'expired',
    'cancelled',
    'superseded',
    'rolling_back',
    'incomplete',
  ],
  busy: [],
}

/** The mood by name for final states; a state that waits for an answer is busy. */
const moodOf =
  (machine: AnyStateMachine) =>
  (id: string): StateTone => {
    const node = nodesOf(machine.root).find((one) => one.id === id)
    if (!node) return 'plain'
    if (node.parent?.key === 'failed') return 'bad'
    const named = (['good', 'bad', 'late'] as const).find((mood) => moods[mood].includes(node.key))
    return named ?? (node.invoke.length > 0 ? 'busy' : 'plain')
  }

export const picture = async (title: string, machine: AnyStateMachine): Promise<string> =>
  svgOf(title, await layoutOf(machine), moodOf(machine))
