import { array, boolean, enums, type Infer, integer, nullable, object, optional, refine, string, type } from 'superstruct'
import { endpoint, requires, inProject, onObject } from '../core/endpoint'
import { containsPrivateKey } from './keys'
import { listOf, listQuery } from '../core/lists'
import { allows, type Grants } from '../core/permissions'
import { text, boundedInteger } from '../core/rules'
import { entity, Id, Timestamp } from '../core/shapes'
import { DeviceTags } from './devices'

export const EnrollmentToken = type({
  ...entity,
  project_id: Id,
  name: string(),
  prefix: string(),
  /** SHA-256 of a certificate: not a token, but the authority of client certificates. */
  authority: nullable(string()),
  kind: enums(['group', 'single']),
  hardware_model: nullable(string()),
  default_tags: array(string()),
  max_uses: nullable(integer()),
  uses: integer(),
  expires_at: nullable(Timestamp),
  auto_accept: boolean(),
  state: enums(['active', 'expired', 'used_up', 'revoked']),
})
export type EnrollmentToken = Infer<typeof EnrollmentToken>

export const NewEnrollmentToken = object({
  name: text('Name', { max: 64 }),
  kind: optional(enums(['group', 'single'])),
  hardware_model: optional(nullable(text('Hardware model', { max: 63 }))),
  default_tags: optional(DeviceTags),
  max_uses: optional(nullable(boundedInteger('Max uses', 1, 100_000))),
  expires_at: optional(nullable(Timestamp)),
  auto_accept: optional(boolean()),
  /** Short tokens are for DDI clients only. */
  form: optional(enums(['long', 'short'])),
})

const Certificate = refine(
  refine(
    text('Certificate', { max: 16_384, lines: true }),
    'pem',
    (value) =>
      /^-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----$/.test(value) ||
      'Paste one certificate as PEM (BEGIN CERTIFICATE)',
  ),
  'private_key',
  (value) => !containsPrivateKey(value) || 'This is a private key. Keep it where it is and paste the certificate',
)

export const NewAuthority = object({
  name: text('Name', { max: 64 }),
  certificate_pem: Certificate,
  hardware_model: text('Hardware model', { max: 63 }),
  default_tags: optional(DeviceTags),
  auto_accept: optional(boolean()),
})

/**
 * Limits of an enrollment token of the config generator. The generator needs project:manage_devices only: without
 * project:manage_access (operators), its token is limited in devices and days. Null: no limit.
 */
export const generatedTokenLimits = {
  managesAccess: { maxUses: null, days: 365 },
  others: { maxUses: 100, days: 7 },
} as const

/** The limits for a caller with these permissions. */
export const generatedTokenLimitsFor = (grants: Grants) =>
  generatedTokenLimits[allows(grants, ['project:manage_access']) ? 'managesAccess' : 'others']

export const enrollmentTokens = endpoint({
  method: 'GET',
  path: '/projects/:projectId/enrollment_tokens',
  summary: 'List the enrollment tokens of a project, without their secrets.',
  needs: requires(inProject, 'project:view'),
  audit: 'none',
  rate: 'read',
  query: object(listQuery),
  answer: listOf('enrollment_tokens', EnrollmentToken),
})
export const createEnrollmentToken = endpoint({
  method: 'POST',
  path: '/projects/:projectId/enrollment_tokens',
  summary: 'Create an enrollment token. Only this answer contains its secret.',
  needs: requires(inProject, 'project:manage_access'),
  tokens: false,
  audit: 'enrollment_token.create',
  rate: 'write',
  body: NewEnrollmentToken,
  answer: type({ ...EnrollmentToken.schema, token: string() }),
  status: 201,
})
export const createAuthority = endpoint({
  method: 'POST',
  path: '/projects/:projectId/authorities',
  summary: 'List the authority of client certificates that a trusted proxy verifies. It is among the enrollment tokens.',
  needs: requires(inProject, 'project:manage_access'),
  tokens: false,
  audit: 'enrollment_token.create',
  rate: 'write',
  body: NewAuthority,
  answer: EnrollmentToken,
  status: 201,
})
/** How many of the devices that a revocation refuses are named. */
export const maxRefusedDevices = 5
/** The devices that authenticate with the token, or with certificates of the authority: they have no token of their own. */
export const TokenRevocation = type({ total: integer(), devices: array(type({ id: Id, name: string() })) })
export type TokenRevocation = Infer<typeof TokenRevocation>

export const previewTokenRevocation = endpoint({
  method: 'GET',
  path: '/enrollment_tokens/:enrollmentTokenId/revocation',
  summary: 'Show which devices would be refused if an enrollment token or an authority was revoked now.',
  needs: requires(onObject('enrollment_token', 'enrollmentTokenId'), 'project:view', 'device:view'),
  audit: 'none',
  rate: 'read',
  answer: TokenRevocation,
})
export const revokeEnrollmentToken = endpoint({
  method: 'DELETE',
  path: '/enrollment_tokens/:enrollmentTokenId',
  summary: 'Revoke an enrollment token. Devices can no longer enroll with it, and those that authenticate with it are refused.',
  needs: requires(onObject('enrollment_token', 'enrollmentTokenId'), 'project:manage_access'),
  tokens: false,
  audit: 'enrollment_token.revoke',
  rate: 'write',
  answer: 'none',
})
