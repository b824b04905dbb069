import { is, number, string, type } from 'superstruct'
import type { Failure } from '../../contract/errors'

const wait = (failure: Failure) => (failure.retryAfterS === undefined ? 'a moment' : `${failure.retryAfterS} s`)

const Limit = type({ limit: number(), used: number(), plan: string() })

/** The limit is more exact than the server's message, unless the refusal is about something else than a number. */
const planOf = ({ about, message, requiredPlan }: Failure) => {
  if (!is(about, Limit)) return message
  const full = `The ${about.plan} plan allows ${about.limit}, and ${about.used} are in use.`
  return requiredPlan === undefined ? full : `${full} This needs the ${requiredPlan} plan.`
}

/** The explanation of a failure, under the catalogue's title. */
export const describeFailure = (failure: Failure): string | undefined => {
  switch (failure.status) {
    case 0:
      return failure.code === 'timeout'
        ? 'The server did not answer in time.'
        : 'The control center cannot be reached at the moment.'
    case 402:
      return planOf(failure)
    case 404:
      return 'It may have been deleted, or it belongs to an organization that you are not a member of.'
    case 429:
      return `Too many requests. Try again in ${wait(failure)}.`
    case 400:
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
