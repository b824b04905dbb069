import { array, boolean, enums, type Infer, nullable, object, optional, string, type } from 'superstruct'
import { endpoint, session } from '../core/endpoint'
import { listQuery } from '../core/lists'
import { Permission } from '../core/permissions'
import { integerParam } from '../core/rules'
import { Id, PublicId, Timestamp } from '../core/shapes'

/** A certificate is one inside a file of a secure-boot bundle; `id` is the file's. The id of a manifest is that of its release. */
export const expirationKinds = [
  'signing_key',
  'access_token',
  'enrollment_token',
  'invite',
  'manifest',
  'certificate',
  'subscription',
] as const

/**
 * Days to the end below which an expiration is critical or a warning. A token or invite was made for a time: it is a warning for half
 * of it at most, and critical for a quarter.
 */
export const expirationDays = { critical: 1, warning: 7 } as const
/** What has expired is listed for so many days more. */
export const expiredForDays = 14

export const Expiration = type({
  kind: enums(expirationKinds),
  id: Id,
  name: string(),
  /** Null for invites into an organization, and for subscriptions. */
  project: nullable(type({ id: Id, name: string() })),
  /** Null in the personal space. */
  organization: nullable(type({ public_id: PublicId, name: string() })),
  expires_at: Timestamp,
  severity: enums(['expired', 'critical', 'warning', 'info']),
  /** The path of the console where it is renewed. */
  link: string(),
  /** What renewing it needs; null for the owner of a personal space. */
  required_permission: nullable(Permission),
  renewable: boolean(),
})
export type Expiration = Infer<typeof Expiration>

export const expirations = endpoint({
  method: 'GET',
  path: '/expirations',
  summary:
    'List what expires soon or has expired lately, by date: in a project, in an organization with its projects, or everywhere.',
  needs: session,
  audit: 'none',
  rate: 'read',
  query: object({
    limit: listQuery.limit,
    cursor: listQuery.cursor,
    organization_id: optional(PublicId),
    project_id: optional(Id),
    /** Default 30. */
    within_days: optional(integerParam('Days', 0, 366)),
  }),
  answer: type({ expirations: array(Expiration), next_cursor: nullable(string()) }),
})
