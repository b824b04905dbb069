import { eq } from 'drizzle-orm'
import * as contract from '../../../contract/keys'
import { signingKeys } from '../schema/keys'
import type { Api } from '../../core/http/api'
import { newRow, rowUpdate } from '../../core/database/row'
import { refuse, refuseField } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { readPublicKey } from './read-public-key'
import { keyById, keyTarget, listKeys, lockKey } from './repository'

export const keyRoutes = (api: Api): void => {
  api.uniques.set('signing_keys_project_name', { field: 'name', code: 'taken', message: 'A key with this name exists already' })
  api.uniques.set('signing_keys_project_fingerprint', {
    field: 'public_key_pem',
    code: 'taken',
    message: 'This key is registered already',
  })
  api.places.set('signing_key', async (tx, id) => {
    const [key] = await tx.select({ projectId: signingKeys.projectId }).from(signingKeys).where(eq(signingKeys.id, id))
    return key
  })

  route(api, contract.signingKeys, ({ tx, project, query }) => listKeys(tx, project.id, query))
  route(api, contract.signingKey, ({ tx, params }) => keyById(tx, params.signingKeyId))

  route(api, contract.createSigningKey, async ({ tx, project, body, now, audit }) => {
    const read = await readPublicKey(body.algorithm, body.public_key_pem)
    const purpose = body.purpose ?? (read.algorithm === 'rsa-3072' ? 'secure_boot' : 'release')
    if (read.algorithm === 'rsa-3072' && purpose !== 'secure_boot')
      refuseField('purpose', 'not_for_releases', 'RSA keys are for secure boot only')
    if (read.isKnownTestKey && purpose !== 'secure_boot' && project.plan === 'production')
      refuseField('public_key_pem', 'test_key', 'This is a published test key')
    const expiresAt = body.expires_at ? new Date(body.expires_at) : null
    if (expiresAt && expiresAt <= now) refuseField('expires_at', 'past', 'The expiry lies in the past')
    const row = {
      ...newRow(now),
      projectId: project.id,
      name: body.name,
      algorithm: read.algorithm,
      publicKeyPem: read.pem,
      fingerprint: read.fingerprint,
      custody: body.custody ?? 'external',
      purpose,
      state: 'active',
      expiresAt,
      isKnownTestKey: read.isKnownTestKey,
    } as const
    await tx.insert(signingKeys).values(row)
    audit({ target: keyTarget(row) })
    return keyById(tx, row.id)
  })

  route(api, contract.retireSigningKey, async ({ tx, params, now, audit }) => {
    const key = await lockKey(tx, params.signingKeyId)
    if (key.state !== 'active' && key.state !== 'retiring') refuse(409, 'conflict', { about: { state: key.state } })
    await tx
      .update(signingKeys)
      .set({ ...rowUpdate(now), state: 'retired' })
      .where(eq(signingKeys.id, key.id))
    audit({ target: keyTarget(key), changes: [{ field: 'state', before: key.state, after: 'retired' }] })
    return keyById(tx, key.id)
  })
}
