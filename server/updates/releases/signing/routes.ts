import * as contract from '../../../../contract/keys'
import type { Api } from '../../../core/http/api'
import { refuse } from '../../../core/http/refuse'
import { route } from '../../../core/http/route'
import { keyTarget } from '../../../fleet/keys/audit-target'
import { readSigningKey } from '../../../fleet/keys/read'
import { lockKey } from '../../../fleet/keys/repository'
import type { CancelRollouts } from '../callbacks'
import { revoke } from './revoke'

/** The revocation of a key is here and not with the other endpoints for keys, because it cancels the rollouts of its releases. */
export const revocationRoutes = (api: Api, { cancelRollouts }: { cancelRollouts: CancelRollouts }): void => {
  route(api, contract.revokeSigningKey, async ({ tx, params, body, user, now, audit }) => {
    const key = await lockKey(tx, params.signingKeyId)
    if (key.state === 'revoked') refuse(409, 'conflict', { about: { state: key.state } })
    await revoke(tx, key, { reason: body.reason, by: user.name, now }, cancelRollouts)
    audit({ target: keyTarget(key), changes: [{ field: 'state', before: key.state, after: 'revoked' }], reason: body.reason })
    return readSigningKey(tx, key.id)
  })
}
