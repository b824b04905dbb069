import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../contract/device/bytes'
import { pemOf } from '../../../contract/device/public-key'
import type { Refusal } from '../../../contract/device/refusals'
import { verify } from '../../../contract/device/verify'
import { accepted, type Given, givenBy, refused } from '../../../contract/device/verify.fixture'
import type { SigningKey } from '../../../contract/fleet/keys'
import { checkEnvelope } from '../../../src/features/releases/check-envelope'

/** A trusted key as the console lists it. */
const listed = (key: Given['keys'][number]): SigningKey => ({
  id: key.fingerprint,
  name: key.fingerprint,
  algorithm: key.algorithm,
  public_key_pem: pemOf(key),
  fingerprint: key.fingerprint,
  custody: 'browser',
  purpose: 'release',
  state: key.revoked ? 'revoked' : 'active',
  expires_at: null,
  last_used_at: null,
  is_known_test_key: false,
  coverage: { trusting: 0, total: 0 },
  created_at: '2026-03-01T12:00:00+00:00',
  updated_at: '2026-03-01T12:00:00+00:00',
  revision: 1,
})

/** Whether the page of a release says of one of the keys that it signed the envelope. */
const isSignedHere = async ({ envelope, keys }: Given) => {
  const bytes = utf8(JSON.stringify(envelope) ?? '').buffer
  const checks = await Promise.all(keys.map((key) => checkEnvelope(bytes, keys.map(listed), key.fingerprint)))
  return checks.some(({ holds }) => holds)
}

/** A good envelope, but not for this device or not now: the console shows it as signed. */
const aboutDevice: readonly Refusal[] = [
  'expired',
  'wrong_project',
  'wrong_model',
  'not_newer',
  'below_minimum',
  'rollback_number',
]

// The vectors of the server and of the agent, with the cryptography of a browser.
describe('T-17 the verdict of a browser on a manifest', () => {
  it.each(accepted)('takes $title', async (vector) => {
    const given = await givenBy(vector)
    expect(await verify(given.envelope, given.keys, given.facts)).toMatchObject({ ok: true })
    expect(await isSignedHere(given)).toBe(true)
  })

  it.each(refused)('refuses $title', async ({ code, reason, ...vector }) => {
    const given = await givenBy(vector)
    expect(await verify(given.envelope, given.keys, given.facts)).toMatchObject({ ok: false, code, reason })
    expect(await isSignedHere(given)).toBe(aboutDevice.includes(reason))
  })
})
