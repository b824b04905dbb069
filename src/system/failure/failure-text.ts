import { type Failure, isRefusal, titleOf } from '../../../contract/core/errors'

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

type Refusal = Pick<Failure, 'status' | 'code'>

/** §8 names the titles of these. */
const named: readonly number[] = [401, 403, 404]

/** Whether a change was refused under no title of the catalogue: nothing is broken. */
export const isPlainRefusal = (failure: Refusal): boolean => isRefusal(failure) && !named.includes(failure.status)

/** The title of a change that failed; undefined when its first try was carried out. */
export const toChangeTitle = (failure: Refusal): string | undefined => {
  if (failure.code === 'idempotency_mismatch') return undefined
  return isPlainRefusal(failure) ? 'Nothing was changed' : titleOf(failure.status)
}
