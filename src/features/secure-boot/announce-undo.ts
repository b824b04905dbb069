import { failureOf } from '../../api/failure'
import { describeFailure } from '../../system/failure/failure-text'
import { notify } from '../../system/failure/notify'

/** Says what was done, with an Undo; a failed one says why. */
export const announceUndo = (text: string, undo: () => Promise<unknown>) => {
  const run = async () => {
    try {
      await undo()
    } catch (thrown) {
      const failure = failureOf(thrown)
      const detail = failure && (describeFailure(failure) ?? failure.message)
      void notify({ kind: 'error', text: 'The change could not be undone', ...(detail !== undefined && { detail }) })
    }
  }
  void notify({ kind: 'success', text, action: { label: 'Undo', onClick: () => void run() } })
}
