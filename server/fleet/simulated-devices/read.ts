import type { SimulatedDevices } from '../../../contract/fleet/simulated-devices'
import type { Tx } from '../../core/database/tx'
import type { Deps } from '../../core/deps'
import { hashOf } from '../../core/tokens/token'
import { stateOf } from '../enrollment/state'
import { findEnrollmentToken } from '../enrollment/token-lookup.repository'
import { type Fleet, listSerials, readFleet } from './directory'
import { countSimulated, type SimulatedCounts } from './repository'
import { contactPollS } from '../../accounts/projects/settings'

export type FleetFacts = SimulatedCounts & {
  fleet: Fleet
  /** Whether devices may still enroll: the token is not used up, revoked or expired. */
  enrolling: boolean
}

/** The fleet of a project; undefined if it has none, or one whose request did not come to its end. */
export const findFleet = async (
  tx: Tx,
  place: Pick<Deps, 'config'>,
  projectId: string,
  now: Date,
): Promise<FleetFacts | undefined> => {
  const fleet = await readFleet(place, projectId)
  const found = fleet && (await findEnrollmentToken(tx, hashOf(fleet.enrollment_token)))
  if (!fleet || !found) return undefined
  const serials = await listSerials(place, projectId, fleet)
  const counts = await countSimulated(tx, projectId, serials, contactPollS(found.settings, now), now)
  return { ...counts, fleet, enrolling: stateOf(found.token, now) === 'active' }
}

/** Whether there is something to simulate: a device, or one that will enroll. */
export const isAlive = ({ added, enrolling }: FleetFacts): boolean => added > 0 || enrolling

export const simulatedToJson = (found: FleetFacts | undefined): SimulatedDevices => {
  if (!found || !isAlive(found)) return { devices: 0, added: 0, online: 0, waiting: 0, starting: false }
  const { added, enrolling, fleet, online, seen, waiting } = found
  return { devices: enrolling ? fleet.devices : added, added, online, waiting, starting: enrolling || seen < added }
}
