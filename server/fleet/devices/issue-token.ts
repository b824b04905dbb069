import { eq } from 'drizzle-orm'
import type { issueDeviceToken as endpoint } from '../../../contract/device-lifecycle'
import { devices } from '../schema/devices'
import { revokeDeviceTokens, issueDeviceToken, overlapDeviceTokens } from './device-token'
import { unsharedToken } from '../enrollment/token-sharing'
import type { Call } from '../../core/http/call'
import { rowUpdate } from '../../core/database/row'
import { refuse } from '../../core/http/refuse'
import { formatTimestampOrNull } from '../../core/timestamps'
import { deviceById, rowById } from './repository'
import { target } from './lifecycle-actions'

type IssueCall = Pick<Call<typeof endpoint>, 'tx' | 'params' | 'body' | 'now' | 'audit'>

/**
 * Issues a token for a device whose own is lost or stolen. The previous ones end now, or after a day in which the device
 * replaces them.
 */
export const issueToken = async ({ tx, params, body, now, audit }: IssueCall) => {
  const before = await rowById(tx, params.deviceId, { lock: true })
  if (before.lifecycle === 'decommissioned' || before.lifecycle === 'rejected')
    return refuse(409, 'conflict', { message: `A device that is ${before.lifecycle} gets no token` })
  const until = body.overlap_s === 0 ? null : new Date(now.getTime() + body.overlap_s * 1000)
  await (until === null ? revokeDeviceTokens(tx, before.id) : overlapDeviceTokens(tx, before.id, until))
  const device_token = await issueDeviceToken(tx, { projectId: before.projectId, deviceId: before.id }, now)
  await tx
    .update(devices)
    .set({ ...unsharedToken, ...rowUpdate(now) })
    .where(eq(devices.id, before.id))
  audit({
    target: target(before),
    changes: [{ field: 'token', before: '(hidden)', after: '(hidden)' }],
    reason: until === null ? 'The former token ended at once' : 'The former token stays valid for 24 hours',
  })
  return { ...(await deviceById(tx, before.id, now)), device_token, former_token_until: formatTimestampOrNull(until) }
}
