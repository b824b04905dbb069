import type { Failure } from '../../contract/errors'

const wait = (failure: Failure) => (failure.retryAfterS === undefined ? 'a moment' : `${failure.retryAfterS} s`)

/** The answer to a request that was changed after the answer to its first try was lost. */
const doneBefore =
  'The first try was carried out, with what was here then, but not your changes since. Trying again now makes another one.'

/** The explanation of a failure, under the catalogue's title. */
export const describeFailure = (failure: Failure): string | undefined => {
  if (failure.code === 'idempotency_mismatch') return doneBefore
  switch (failure.status) {
    case 0:
      return failure.code === 'timeout'
        ? 'The server did not answer in time.'
        : 'The control center cannot be reached at the moment.'
    case 404:
      return 'It may have been deleted, or it belongs to an organization that you are not a member of.'
    case 429:
      return `Too many requests. Try again in ${wait(failure)}.`
    case 400:
    case 402:
    case 403:
    case 409:
    case 410:
    case 412:
    case 413:
    case 415:
    case 422:
    case 423:
    case 428:
    case 507:
      return failure.message
    default:
      return undefined
  }
}
