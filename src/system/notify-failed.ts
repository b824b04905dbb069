import { failureOf } from '../api/failure'
import { describeFailure } from './failure-text'
import { isUnanswered, notKnownText, tryAgainText } from './held-request'
import { notify } from './notify'

const show = (error: unknown, unansweredText: string) => {
  const failure = failureOf(error)
  const text = (failure && describeFailure(failure)) ?? failure?.message ?? 'Nothing was changed'
  void notify({ kind: 'error', text, ...(isUnanswered(error) && { detail: unansweredText }) })
}

/** Shows why a change failed. */
export const notifyFailed = (error: unknown) => show(error, notKnownText)

/** Shows why a change failed that is repeated with its first key. */
export const notifyHeldFailed = (error: unknown) => show(error, tryAgainText)
