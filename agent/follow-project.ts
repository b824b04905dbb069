import type { CheckInAnswer } from '../contract/device/api'
import { checkIn } from './check-in'
import { type Device, projectOf } from './device'

/**
 * Takes the project that the server has moved the device to: from now on it accepts the releases and key lists of that one. One
 * rename, so that a kill leaves the former project or the new one; the next check-in names it again. An update that has begun ends
 * first.
 */
export const followProject = async (device: Device, answer: CheckInAnswer): Promise<CheckInAnswer> => {
  const { store, trust, log } = device
  const identity = device.identity()
  const former = projectOf(device)
  const { project_id: projectId } = answer
  if (projectId === undefined || projectId === former || !identity || store.state.attempt) return answer
  const counters = { ...store.state.key_list_counters, ...trust.counters() }
  store.change({ moved: { device_id: identity.device_id, project_id: projectId }, key_list_counters: counters })
  log.notice(`Moved to project ${projectId}${former === null ? '' : ` from ${former}`}`)
  return checkIn(device)
}
