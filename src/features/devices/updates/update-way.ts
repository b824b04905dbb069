import { getInitialSnapshot, getNextSnapshot } from 'xstate'
import type { UpdateEvent } from '../../../../contract/updates/device-updates'
import { type DeviceUpdateMove, deviceUpdateMachine } from '../../../../machines/device-update/device-update.machine'
import { linesOf } from '../../../../machines/edges'

type Way = {
  /** Ids of the active nodes. */
  lit: string[]
  /** Edges that were taken, and those of the last step. */
  walked: string[]
  last: string[]
}

const moves: ReadonlySet<string> = new Set(deviceUpdateMachine.events)
const isMove = (type: string): type is DeviceUpdateMove => moves.has(type)

/** The active nodes of a state of the contract; none for a state of a newer server. */
const nodesOf = (state: string): string[] => {
  const { root } = deviceUpdateMachine
  const open = root.states['open']
  const inner = open?.states[state]
  const node = inner ?? root.states[state]
  return node && node !== open ? [...(inner && open ? [open.id] : []), node.id] : []
}

/**
 * The way of one attempt through the chart, by its events (oldest first). `state` is the state by the server: the server's own decisions,
 * such as to hold an update, are no events.
 */
export const wayOf = (events: readonly Pick<UpdateEvent, 'to_state'>[], state: string): Way => {
  let snapshot = getInitialSnapshot(deviceUpdateMachine)
  let last: string[] = []
  const walked = new Set<string>()
  for (const { to_state: reached } of events) {
    const type = `update.${reached ?? ''}`
    if (!isMove(type)) continue
    const event = { type }
    const edges = deviceUpdateMachine.getTransitionData(snapshot, event).flatMap(linesOf)
    if (edges.length === 0) continue
    snapshot = getNextSnapshot(deviceUpdateMachine, snapshot, event)
    last = edges
    for (const edge of edges) walked.add(edge)
  }
  const lit = nodesOf(state)
  const isByEvents = lit.every((id) => snapshot._nodes.some((node) => node.id === id))
  return { lit, walked: [...walked], last: isByEvents ? last : [] }
}
