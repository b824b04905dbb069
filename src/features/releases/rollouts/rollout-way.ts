import { getInitialSnapshot, getNextSnapshot } from 'xstate'
import { linesOf } from '../../../../machines/edges'
import { type RolloutEvent, rolloutMachine } from '../../../../machines/rollout/rollout.machine'
import type { TimelineEntry } from './timeline-days'

type Way = {
  /** The names of the states, from the first to the present one. */
  states: string[]
  /** Ids of the active nodes. */
  lit: string[]
  /** Edges that were taken, and those of the last step. */
  walked: string[]
  last: string[]
  /** How often an event has taken an edge. */
  countOf: (edge: string, event: string) => number
}

const isEvent = (kind: string): kind is RolloutEvent['type'] => (rolloutMachine.events as readonly string[]).includes(kind)
const leafOf = (nodes: readonly { key: string }[]) => nodes.at(-1)?.key ?? ''
const keyOf = (edge: string, event: string) => `${event} ${edge}`

/** The way of a rollout through its chart: the changes of state in its timeline, oldest first. */
export const wayOf = (timeline: readonly TimelineEntry[]): Way => {
  let snapshot = getInitialSnapshot(rolloutMachine)
  let last: string[] = []
  const states = [leafOf(snapshot._nodes)]
  const walked = new Set<string>()
  const counts = new Map<string, number>()
  for (const { kind } of timeline) {
    if (!isEvent(kind)) continue
    const event = { type: kind }
    const edges = rolloutMachine.getTransitionData(snapshot, event).flatMap(linesOf)
    if (edges.length === 0) continue
    snapshot = getNextSnapshot(rolloutMachine, snapshot, event)
    states.push(leafOf(snapshot._nodes))
    last = edges
    for (const edge of edges) {
      walked.add(edge)
      counts.set(keyOf(edge, kind), (counts.get(keyOf(edge, kind)) ?? 0) + 1)
    }
  }
  return {
    states,
    lit: snapshot._nodes.map(({ id }) => id),
    walked: [...walked],
    last,
    countOf: (edge, event) => counts.get(keyOf(edge, event)) ?? 0,
  }
}
