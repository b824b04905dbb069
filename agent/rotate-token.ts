import type { CheckInAnswer } from '../contract/device/api'
import { isByServer, isUnknownToken, reasonOf, Refused } from './api-client/http'
import { checkIn } from './check-in'
import type { Device } from './device'
import { type Identity, writeIdentity } from './state/identity'

/** A token is replaced after so long. */
const rotationMs = 30 * 86_400_000

type Become = (identity: Identity) => void

const store = ({ config }: Device, become: Become, identity: Identity) => {
  writeIdentity(config, identity)
  become(identity)
}

/**
 * Checks in with the newest token. The first success with a new one ends the former; if the server does not know it, the device
 * returns to the former, which is valid until then.
 */
export const checkInWithToken = async (device: Device, become: Become): Promise<CheckInAnswer> => {
  const identity = device.identity()
  if (identity?.next_token === undefined) return checkIn(device)
  const { next_token, ...former } = identity
  try {
    const answer = await checkIn(device)
    store(device, become, { ...former, device_token: next_token, rotated_at_ms: device.clock.now() })
    device.log.notice('The device token was replaced')
    return answer
  } catch (error) {
    if (!isUnknownToken(error)) throw error
    returnToFormerToken(device, become)
    return checkIn(device)
  }
}

/** Drops a new token that the server does not know. False if there is none. */
export const returnToFormerToken = (device: Device, become: Become): boolean => {
  const identity = device.identity()
  if (identity?.next_token === undefined) return false
  const { next_token: _, ...former } = identity
  device.log.warning('The server does not know the new device token; the former one is used again')
  store(device, become, former)
  return true
}

/**
 * Requests a new token once the current one is old enough, and stores it beside that. A token of device.json is not replaced: with
 * that file a device must be able to start again after its state was lost.
 */
export const rotateToken = async (device: Device, become: Become): Promise<void> => {
  const identity = device.identity()
  const { api, clock, config, stopping } = device
  if (!identity || identity.next_token !== undefined || config.device_token !== undefined) return
  // A time far ahead was taken from a wrong clock and counts as old.
  if (Math.abs(clock.now() - (identity.rotated_at_ms ?? identity.enrolled_at_ms)) < rotationMs) return
  try {
    // The server ends the former token a day later: a device that cannot store the new one must not request it.
    writeIdentity(config, identity)
  } catch (error) {
    device.log.warning(`The device token was not replaced: ${reasonOf(error)}`)
    return
  }
  try {
    const { device_token } = await api.rotateToken(stopping)
    store(device, become, { ...identity, next_token: device_token })
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    device.log.warning(`The server refused a new device token: ${error.message} (${error.status} ${error.code})`)
    // A person has replaced the token, which has an end now: another request would be refused as well.
    if (error.status === 403 && isByServer(error)) store(device, become, { ...identity, rotated_at_ms: clock.now() })
  }
}
