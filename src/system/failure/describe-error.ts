import { failureOf } from '../../api/failure'
import { describeFailure } from './failure-text'

/** Why something failed, in one sentence. `fallback` for an error that is no answer of the server. */
export const describeError = (error: unknown, fallback: string): string => {
  const failure = failureOf(error)
  return (failure && describeFailure(failure)) ?? failure?.message ?? fallback
}
