import { titles } from './errors'

/** Messages of refusals that several modules share, by error code. */
export const messages = {
  malformed: 'The request could not be read',
  unauthenticated: 'Sign in to continue',
  session_expired: 'The session has ended',
  forbidden: 'Your role does not allow this',
  person_required: 'Only a signed-in person can do this, not an access token',
  token_in_query: 'Send the token in the Authorization header, never in the address. Revoke this one: it may have been logged',
  not_found: titles.notFound,
  invalid: 'Some fields are invalid',
  revision_required: 'Send the revision that you are changing (If-Match)',
  stale_revision: 'This was changed in the meantime',
  idempotency_mismatch: 'This key was used for another request',
  idempotency_in_progress: 'The first request with this key is still running',
  plan_limit: 'The plan does not allow more of these',
  too_many_requests: 'Too many requests',
  unavailable: 'The service is not ready. Try again in a moment',
  internal: titles.other,
  file_too_large: 'File size must be less than 3.5 GB',
  unsupported_media_type: 'This content type is not accepted',
  other_content: 'This is not the same file: its content differs. Choose the original file or start again.',
  no_space: 'There is no space left to store this',
  count_changed: 'The number of matching devices has changed',
  conflict: 'This is not possible in the current state',
} as const
