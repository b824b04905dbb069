import * as contract from '../../../contract/fleet/keys'
import type { Api } from '../../core/http/api'
import { refuse, refuseField } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { formatTimestampOrNull } from '../../core/timestamps'
import { keyTarget } from './audit-target'
import { readSigningKey } from './read'
import { readPublicKey } from './read-public-key'
import { countCoverage, getKey, insertKey, listKeys, listUncoveredDevices, lockKey, updateKey } from './repository'
import { signingKeyToJson } from './to-json'

export const keyRoutes = (api: Api): void => {
  route(api, contract.signingKeys, async ({ tx, project, query }) => {
    const { rows, next_cursor, total } = await listKeys(tx, project.id, query)
    const coverage = await countCoverage(tx, rows)
    return { signing_keys: rows.map((row) => signingKeyToJson(row, coverage.get(row.id))), next_cursor, total }
  })

  route(api, contract.signingKey, ({ tx, params }) => readSigningKey(tx, params.signingKeyId))

  route(api, contract.signingKeyCoverage, async ({ tx, params }) => {
    const key = await getKey(tx, params.signingKeyId)
    const { trusting = 0, total = 0 } = (await countCoverage(tx, [key])).get(key.id) ?? {}
    const missing = await listUncoveredDevices(tx, key)
    return {
      total,
      trusting,
      missing: missing.map(({ id, name, lastSeenAt }) => ({ id, name, last_seen_at: formatTimestampOrNull(lastSeenAt) })),
    }
  })

  route(api, contract.createSigningKey, async ({ tx, project, body, now, audit }) => {
    const read = await readPublicKey(body.algorithm, body.public_key_pem)
    const purpose = body.purpose ?? (read.algorithm === 'rsa-3072' ? 'secure_boot' : 'release')
    if (read.algorithm === 'rsa-3072' && purpose !== 'secure_boot')
      refuseField('purpose', 'not_for_releases', 'RSA keys are for secure boot only')
    if (read.isKnownTestKey && purpose !== 'secure_boot' && project.plan === 'production')
      refuseField('public_key_pem', 'test_key', 'This is a published test key')
    const expiresAt = body.expires_at ? new Date(body.expires_at) : null
    if (expiresAt && expiresAt <= now) refuseField('expires_at', 'past', 'The expiry is in the past')
    const key = {
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
    const made = await readSigningKey(tx, await insertKey(tx, key, now))
    audit({ target: keyTarget(made) })
    return made
  })

  route(api, contract.replaceSigningKey, async ({ tx, params, now, audit }) => {
    const key = await lockKey(tx, params.signingKeyId)
    if (key.state !== 'active' || key.purpose === 'secure_boot') refuse(409, 'conflict', { about: { state: key.state } })
    await updateKey(tx, key.id, { state: 'retiring' }, now)
    audit({ target: keyTarget(key), changes: [{ field: 'state', before: key.state, after: 'retiring' }] })
    return readSigningKey(tx, key.id)
  })

  route(api, contract.keepSigningKey, async ({ tx, params, now, audit }) => {
    const key = await lockKey(tx, params.signingKeyId)
    if (key.state !== 'retiring') refuse(409, 'conflict', { about: { state: key.state } })
    await updateKey(tx, key.id, { state: 'active' }, now)
    audit({ target: keyTarget(key), changes: [{ field: 'state', before: key.state, after: 'active' }] })
    return readSigningKey(tx, key.id)
  })
}
