import { describeError } from './describe-error'
import { isUnanswered, notKnownText, tryAgainText } from '../form/held-request'
import { notify } from './notify'

const show = (error: unknown, unansweredText: string) =>
  void notify({
    kind: 'error',
    text: describeError(error, 'Nothing was changed'),
    ...(isUnanswered(error) && { detail: unansweredText }),
  })

/** Shows why a change failed. */
export const notifyFailed = (error: unknown): void => show(error, notKnownText)

/** Shows why a change failed that is repeated with its first key. */
export const notifyHeldFailed = (error: unknown): void => show(error, tryAgainText)
