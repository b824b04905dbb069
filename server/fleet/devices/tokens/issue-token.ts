import type { issueDeviceToken as endpoint } from '../../../../contract/fleet/device-lifecycle'
import type { Call } from '../../../core/http/call'
import { refuse } from '../../../core/http/refuse'
import { formatTimestampOrNull } from '../../../core/timestamps'
import { deviceTarget } from '../audit-target'
import { requireTokenForm } from '../steps/change'
import { issueDeviceToken, overlapDeviceTokens, revokeDeviceTokens } from '../device-token.repository'
import { readDevice } from '../read'
import { lockDeviceForChange, updateDevice } from '../repository'
import { unsharedToken } from './token-sharing'

type IssueCall = Pick<Call<typeof endpoint>, 'tx' | 'project' | 'params' | 'body' | 'now' | 'audit'>

/**
 * Issues a token for a device whose own is lost or stolen. The previous ones end now, or after a day in which the device
 * replaces them.
 */
export const issueToken = async ({ tx, project, params, body, now, audit }: IssueCall) => {
  const before = await lockDeviceForChange(tx, params.deviceId)
  if (before.lifecycle === 'decommissioned' || before.lifecycle === 'rejected')
    return refuse(409, 'conflict', { message: `A device that is ${before.lifecycle} gets no token` })
  requireTokenForm('form', body.form, before.protocol)
  const asked = body.overlap_s === 0 ? null : new Date(now.getTime() + body.overlap_s * 1000)
  if (asked === null) await revokeDeviceTokens(tx, before.id)
  const until = asked !== null && (await overlapDeviceTokens(tx, before.id, asked)) ? asked : null
  const device_token = await issueDeviceToken(tx, { projectId: before.projectId, deviceId: before.id }, now, body.form)
  await updateDevice(tx, before.id, unsharedToken, now)
  audit({
    target: deviceTarget(before),
    changes: [{ field: 'token', before: '(hidden)', after: '(hidden)' }],
    reason: until === null ? 'The previous token stopped working at once' : 'The previous token stays valid for 24 hours',
  })
  return {
    ...(await readDevice({ tx, project, now }, before.id)),
    device_token,
    former_token_until: formatTimestampOrNull(until),
  }
}
