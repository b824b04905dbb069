import { failureOf } from '../api/failure'
import { describeFailure } from './failure-text'
import { notify } from './notify'

/** Shows why a change failed. */
export const notifyFailed = (error: unknown) => {
  const failure = failureOf(error)
  void notify({ kind: 'error', text: (failure && describeFailure(failure)) ?? failure?.message ?? 'Nothing was changed' })
}
