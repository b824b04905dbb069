import { awaitsConfirmation } from '../../contract/ddi/confirm'
import { clientOfAgent } from '../../contract/ddi/feedback'
import type { UpdateState } from '../../contract/device/update-events'
import type { ClientKind } from '../../contract/ddi/model-client'
import { isActive } from './action-state'
import type { DdiDeviceRow } from './devices.repository'

const attributesAgainS = 86_400
const attributesAtMostEveryS = 60

type Known = Pick<DdiDeviceRow, 'configAt' | 'configAsked' | 'configLinked'>

const secondsSince = (moment: Date, now: Date) => (now.getTime() - moment.getTime()) / 1000

/**
 * SWUpdate sends its attributes, does nothing else at that poll, and sleeps: so an update that is offered or under way has no link to
 * them. They are asked for where only they can show in which boot a device is, and not in two polls running: after the
 * installation, and of rauc-hawkbit-updater, which sends them only when asked and goes on with the update at the same poll.
 */
const wantsAttributesInUpdate = (known: Known, state: UpdateState, agent: string | undefined, now: Date): boolean => {
  if (known.configLinked) return false
  if (known.configAt === null) return true
  if (awaitsConfirmation(state)) return secondsSince(known.configAt, now) >= attributesAtMostEveryS
  return clientOfAgent(agent) === 'rauc'
}

/** A link that stays after its answer would be followed again at once. `state`: of the newest update. */
export const wantsAttributes = (known: Known, state: UpdateState | null, agent: string | undefined, now: Date): boolean => {
  if (state !== null && isActive(state)) return wantsAttributesInUpdate(known, state, agent, now)
  if (known.configAt === null) return true
  const age = secondsSince(known.configAt, now)
  return age >= attributesAtMostEveryS && (known.configAsked || age > attributesAgainS)
}

/** Whether a client sends its attributes at each start by itself: its last boot id is that of the boot in which it polls. */
export const sendsAttributesAtStart = (agent: string | undefined, kind: ClientKind): boolean =>
  clientOfAgent(agent) === 'swupdate' || kind === 'swupdate'
