import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { utf8 } from '../../../contract/device/bytes'
import type { Envelope } from '../../../contract/device/dsse'
import { pemOf } from '../../../contract/device/public-key'
import { ecdsa, good, second } from '../../../contract/device/verify.fixture'
import type { Release } from '../../../contract/updates/releases'
import { SignStep } from '../../../src/features/releases/sign-step'
import { SignedBy } from '../../../src/features/releases/signed-by'
import { showReleasePart } from './release-part'

const signatureBy = (name: string) => ({ key_id: name, key_name: name, fingerprint: name }) as Release['signatures'][number]
const first: Release = { id: 'e1', name: 'Gateway', revision: 1, signatures: [signatureBy('old')] } as unknown as Release
const keys = (isOldRevoked: boolean) => [
  {
    id: 'old',
    name: 'old',
    algorithm: 'ed25519',
    fingerprint: 'old',
    state: isOldRevoked ? 'revoked' : 'active',
    public_key_pem: pemOf(second.publicKey),
  },
  {
    id: 'new',
    name: 'new',
    algorithm: 'ecdsa-p256',
    fingerprint: 'new',
    state: 'active',
    public_key_pem: pemOf(ecdsa.publicKey),
  },
]
const bytesOf = (envelope: Envelope) => utf8(JSON.stringify(envelope)).buffer

it('a release that is signed again with another key is verified with its new envelope', async () => {
  const server = { release: first, keys: keys(false), envelope: bytesOf(await good({}, [second])), sha256: 'a' }
  const { change, reread } = showReleasePart(server, SignedBy)
  await expect.element(page.getByText('verified in this browser')).toBeVisible()
  Object.assign(server, { keys: keys(true) })
  await reread(['signing-keys', 'p1'])
  await expect.element(page.getByText('revoked key')).toBeVisible()
  Object.assign(server, { envelope: bytesOf(await good({}, [ecdsa])) })
  change({ revision: 2, signatures: [signatureBy('old'), signatureBy('new')] })
  await expect.element(page.getByText('Signed by new', { exact: false })).toBeVisible()
  await expect.element(page.getByText('verified in this browser')).toBeVisible()
})

it('the sign step never offers the manifest of an earlier revision', async () => {
  const server = { release: first, keys: keys(false), envelope: new ArrayBuffer(0), sha256: 'a'.repeat(64) }
  const { change } = showReleasePart(server, SignStep)
  await expect.element(page.getByText('SHA-256 aaaa', { exact: false })).toBeVisible()
  server.sha256 = 'b'.repeat(64)
  change({ revision: 2 })
  await expect.element(page.getByText('SHA-256 bbbb', { exact: false })).toBeVisible()
})
