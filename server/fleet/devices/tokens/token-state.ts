import type { DeviceTokenRow } from '../device-token.repository'

/**
 * The state of a token: `ending` was replaced and is valid for a limited time, `ended` was removed or has expired. Read the token
 * under the lock of the device, after a concurrent rotation or revocation.
 */
export const tokenState = (token: DeviceTokenRow | undefined, now: Date): 'lasting' | 'ending' | 'ended' => {
  if (!token || (token.expiresAt !== null && token.expiresAt <= now)) return 'ended'
  return token.expiresAt === null ? 'lasting' : 'ending'
}
