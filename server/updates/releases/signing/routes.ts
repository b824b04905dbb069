import * as contract from '../../../../contract/fleet/keys'
import type { Api } from '../../../core/http/api'
import { refuse } from '../../../core/http/refuse'
import { route } from '../../../core/http/route'
import { keyTarget } from '../../../fleet/keys/audit-target'
import { readSigningKey } from '../../../fleet/keys/read'
import { getKey, lockKey } from '../../../fleet/keys/repository'
import type { CancelRollouts, ListOpenRollouts } from '../callbacks'
import { listBundlesWithKey } from '../../secure-boot/repository'
import { findReleases } from '../repository'
import { orphansOf, revoke } from './revoke'

type Callbacks = { cancelRollouts: CancelRollouts; listOpenRollouts: ListOpenRollouts }

/** The revocation of a key is here and not with the other endpoints for keys, because it cancels the rollouts of its releases. */
export const revocationRoutes = (api: Api, { cancelRollouts, listOpenRollouts }: Callbacks): void => {
  route(api, contract.previewKeyRevocation, async ({ tx, params }) => {
    const key = await getKey(tx, params.signingKeyId)
    const ids = await orphansOf(tx, key)
    const releases = await findReleases(tx, ids)
    const rollouts = await listOpenRollouts(tx, ids)
    return {
      // Devices are offered neither of the others.
      releases: releases
        .filter(({ state }) => state !== 'revoked' && state !== 'archived')
        .map(({ id, name, version, displayVersion, state }) => ({ id, name, version, display_version: displayVersion, state })),
      rollouts: rollouts.map(({ releaseId, ...rollout }) => ({ ...rollout, release_id: releaseId })),
      bundles: await listBundlesWithKey(tx, key.projectId, key.id),
    }
  })

  route(api, contract.revokeSigningKey, async ({ tx, params, body, user, now, audit }) => {
    const key = await lockKey(tx, params.signingKeyId)
    if (key.state === 'revoked') refuse(409, 'conflict', { about: { state: key.state } })
    await revoke(tx, key, { reason: body.reason, by: user.name, now }, cancelRollouts)
    audit({ target: keyTarget(key), changes: [{ field: 'state', before: key.state, after: 'revoked' }], reason: body.reason })
    return readSigningKey(tx, key.id)
  })
}
