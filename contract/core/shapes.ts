import { type Infer, integer, refine, string, type } from 'superstruct'
import { pattern } from './rules'
import { isRealTime } from './real-time'

/** ULID: 26 characters of Crockford's base 32. */
export const Id = pattern('id', /^[0-9A-HJKMNP-TV-Z]{26}$/, 'This is not an id')
/** The id of an organization in the API. */
export const PublicId = pattern('id', /^org_[a-z0-9]{12}$/, 'This is not an id')
/** §3: year-month-day T hour:minute:second with offset. */
export const Timestamp = refine(
  pattern('timestamp', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)$/, 'Enter a time such as 2026-11-20T15:00:00+00:00'),
  'timestamp',
  (value) => isRealTime(value) || 'This date or time does not exist; use one from 1970 to 9999',
)
/** SHA-256 in lower-case hex. */
export const Sha256 = pattern('sha256', /^[0-9a-f]{64}$/, 'Enter a SHA-256 as 64 hexadecimal digits')

export const Author = type({ id: string(), name: string(), kind: string() })
export type Author = Infer<typeof Author>
/** The name of an author whose account was deleted. */
export const deletedUserName = 'Deleted user'

/** The fields of every entity. `revision` increases by one with each change and is the ETag. */
export const entity = { id: Id, created_at: Timestamp, updated_at: Timestamp, revision: integer() }
