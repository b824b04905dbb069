import ELK from 'elkjs/lib/elk.bundled.js'
import type { ElkNode } from 'elkjs/lib/elk-api'
import type { AnyStateMachine } from 'xstate'
import { nodesOf } from '../rows'
import { graphOf } from './graph'
import { type Mood, svgOf } from './svg'

const elk = new ELK()

/** A page of GitHub is about this wide; what is wider is drawn smaller there. */
const page = 900
const smallness = ({ width = 0, height = 0 }: ElkNode) => Math.max(width / page, 1) + height / 2400

const moods: Record<Exclude<Mood, 'plain'>, readonly string[]> = {
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
  ],
  bad: ['stuck', 'failed', 'rejected', 'timed_out', 'denied', 'revoked', 'offline', 'unreachable', 'tooLong', 'choosing.failed'],
  late: ['rolled_back', 'halted', 'deferring', 'deferred', 'waiting', 'expired', 'cancelled', 'superseded', 'rolling_back'],
  busy: [],
}

/** By name, for ends; whatever waits for an answer is under way. */
const moodOf =
  (machine: AnyStateMachine) =>
  (id: string): Mood => {
    const node = nodesOf(machine.root).find((one) => one.id === id)
    if (!node) return 'plain'
    if (node.parent?.key === 'failed') return 'bad'
    const named = (['good', 'bad', 'late'] as const).find((mood) => moods[mood].includes(node.key))
    return named ?? (node.invoke.length > 0 ? 'busy' : 'plain')
  }

/** Running right or down, whichever stays larger on a page. */
export const picture = async (title: string, machine: AnyStateMachine): Promise<string> => {
  const layouts = [await elk.layout(graphOf(machine, 'RIGHT')), await elk.layout(graphOf(machine, 'DOWN'))]
  const best = layouts.toSorted((a, b) => smallness(a) - smallness(b))[0]!
  return svgOf(title, best, moodOf(machine))
}
