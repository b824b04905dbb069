import { array, assign, boolean, enums, type Infer, integer, nullable, object, optional, refine, string, type } from 'superstruct'
import { endpoint, requires, inProject, onObject } from '../core/endpoint'
import { listOf, listQuery } from '../core/lists'
import { text } from '../core/rules'
import { entity, Id, Sha256, Timestamp } from '../core/shapes'

export const ToSign = type({
  manifest_sha256: Sha256,
  payload_type: string(),
  payload_base64: string(),
  to_sign_base64: string(),
  pae_sha256: Sha256,
  command: string(),
})
export type ToSign = Infer<typeof ToSign>

export const keyAlgorithms = ['ed25519', 'ecdsa-p256', 'rsa-3072'] as const
export const SigningKey = type({
  ...entity,
  name: string(),
  algorithm: enums(keyAlgorithms),
  public_key_pem: string(),
  fingerprint: string(),
  custody: enums(['browser', 'external']),
  purpose: enums(['release', 'secure_boot', 'both']),
  state: enums(['active', 'retiring', 'retired', 'revoked']),
  expires_at: nullable(Timestamp),
  last_used_at: nullable(Timestamp),
  is_known_test_key: boolean(),
  coverage: type({ trusting: integer(), total: integer() }),
})
export type SigningKey = Infer<typeof SigningKey>

/** The server stores public keys only: anything that looks like a private key is refused. */
export const containsPrivateKey = (value: string): boolean =>
  /PRIVATE KEY|"d"\s*:|AGE-SECRET-KEY|BEGIN PGP PRIVATE/i.test(value) || value.split(/[\r\n]/).some(isSecretKeyComment)

/** The first line of a secret key of minisign or signify. Two searches: one expression would start anew at each repetition. */
const isSecretKeyComment = (line: string) => {
  const at = line.search(/untrusted comment: /i)
  return at >= 0 && /secret/i.test(line.slice(at))
}
const PublicKey = refine(
  refine(
    text('Public key', { max: 8192, lines: true }),
    'pem',
    (value) =>
      /^-----BEGIN PUBLIC KEY-----[\s\S]+-----END PUBLIC KEY-----\s*$/.test(value) ||
      'Paste the public key as PEM (BEGIN PUBLIC KEY)',
  ),
  'private_key',
  (value) => !containsPrivateKey(value) || 'This is a private key. Keep it where it is and paste the public key',
)

export const NewSigningKey = object({
  name: text('Name', { max: 64 }),
  algorithm: enums(keyAlgorithms),
  purpose: optional(enums(['release', 'secure_boot', 'both'])),
  custody: optional(enums(['browser', 'external'])),
  public_key_pem: PublicKey,
  expires_at: optional(nullable(Timestamp)),
})

export const signingKeys = endpoint({
  method: 'GET',
  path: '/projects/:projectId/signing_keys',
  summary: 'List the signing keys of a project.',
  needs: requires(inProject, 'project:view'),
  audit: 'none',
  rate: 'read',
  query: object(listQuery),
  answer: listOf('signing_keys', SigningKey),
})
export const createSigningKey = endpoint({
  method: 'POST',
  path: '/projects/:projectId/signing_keys',
  summary: 'Register the public key of a signing key.',
  needs: requires(inProject, 'project:manage_access'),
  tokens: false,
  audit: 'key.create',
  rate: 'write',
  body: NewSigningKey,
  answer: SigningKey,
  status: 201,
})
export const signingKey = endpoint({
  method: 'GET',
  path: '/signing_keys/:signingKeyId',
  summary: 'Get a signing key.',
  needs: requires(onObject('signing_key', 'signingKeyId'), 'project:view'),
  audit: 'none',
  rate: 'read',
  answer: SigningKey,
})
export const retireSigningKey = endpoint({
  method: 'POST',
  path: '/signing_keys/:signingKeyId/retire',
  summary: 'Retire a signing key. It cannot sign new releases; its existing signatures stay valid.',
  needs: requires(onObject('signing_key', 'signingKeyId'), 'project:manage_access'),
  tokens: false,
  audit: 'key.retire',
  rate: 'write',
  answer: SigningKey,
})
export const replaceSigningKey = endpoint({
  method: 'POST',
  path: '/signing_keys/:signingKeyId/replace',
  summary: 'Mark a signing key as retiring, to replace it by another one. It signs as before until it is retired.',
  needs: requires(onObject('signing_key', 'signingKeyId'), 'project:manage_access'),
  tokens: false,
  audit: 'key.rotate',
  rate: 'write',
  answer: SigningKey,
})
export const keepSigningKey = endpoint({
  method: 'POST',
  path: '/signing_keys/:signingKeyId/keep',
  summary: 'Make a retiring signing key active again.',
  needs: requires(onObject('signing_key', 'signingKeyId'), 'project:manage_access'),
  tokens: false,
  audit: 'key.keep',
  rate: 'write',
  answer: SigningKey,
})
export const revokeSigningKey = endpoint({
  method: 'POST',
  path: '/signing_keys/:signingKeyId/revoke',
  summary: 'Revoke a signing key. Its releases are marked and their rollouts stop.',
  needs: requires(onObject('signing_key', 'signingKeyId'), 'project:manage_access'),
  tokens: false,
  audit: 'key.revoke',
  rate: 'write',
  body: object({ reason: text('Reason', { max: 500 }) }),
  answer: SigningKey,
})

/** What a revocation would stop now: the releases that can no longer be offered after it, and their rollouts that have not ended. */
export const RevocationStops = type({
  releases: array(type({ id: Id, name: string(), version: integer(), display_version: nullable(string()), state: string() })),
  rollouts: array(type({ id: Id, name: string(), release_id: Id, state: string() })),
})
export type RevocationStops = Infer<typeof RevocationStops>

/** A key's revocation also stops the plans of the secure boot bundles that burn it. */
export const KeyRevocationStops = assign(
  RevocationStops,
  type({ bundles: array(type({ id: Id, name: string(), version: integer(), state: string() })) }),
)
export type KeyRevocationStops = Infer<typeof KeyRevocationStops>

export const previewKeyRevocation = endpoint({
  method: 'GET',
  path: '/signing_keys/:signingKeyId/revocation',
  summary: 'Show which releases, rollouts and fuse plans would stop if a signing key was revoked now.',
  needs: requires(onObject('signing_key', 'signingKeyId'), 'project:view'),
  audit: 'none',
  rate: 'read',
  answer: KeyRevocationStops,
})

/** How many of the devices that lack a key are named. */
export const maxUncoveredDevices = 100
/** Which active devices report that they trust a key. */
export const KeyCoverage = type({
  total: integer(),
  trusting: integer(),
  /** Devices that lack the key, by name: the first `maxUncoveredDevices`. */
  missing: array(type({ id: Id, name: string(), last_seen_at: nullable(Timestamp) })),
})
export type KeyCoverage = Infer<typeof KeyCoverage>

export const signingKeyCoverage = endpoint({
  method: 'GET',
  path: '/signing_keys/:signingKeyId/coverage',
  summary: 'Count the active devices that trust a signing key, and list those that lack it.',
  needs: requires(onObject('signing_key', 'signingKeyId'), 'device:view'),
  audit: 'none',
  rate: 'read',
  answer: KeyCoverage,
})
