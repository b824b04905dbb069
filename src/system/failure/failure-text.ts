import type { Failure } from '../../../contract/core/errors'

const wait = (failure: Failure) => (failure.retryAfterS === undefined ? 'a moment' : `${failure.retryAfterS} s`)

/** The answer to a request that was changed after the answer to its first try was lost. */
const doneBefore = 'The first try was carried out, without your changes since. Trying again makes another one.'

// The server says why it refused these.
const explained = [400, 402, 403, 409, 410, 412, 413, 415, 422, 423, 428, 507]

/** The explanation of a failure, under the catalogue's title. */
export const describeFailure = (failure: Failure): string | undefined => {
  const { status, code } = failure
  if (code === 'idempotency_mismatch') return doneBefore
  if (status === 0)
    return code === 'timeout' ? 'The server did not answer in time.' : 'The control center cannot be reached at the moment.'
  if (status === 404) return 'It may have been deleted, or it belongs to an organization that you are not a member of.'
  if (status === 429) return `Too many requests. Try again in ${wait(failure)}.`
  return explained.includes(status) ? failure.message : undefined
}
