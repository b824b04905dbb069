import { leavesUnknown } from '../../../contract/core/errors'
import { failureOf } from '../../api/failure'

/**
 * Idempotency keys of one form. After an answer was lost each try has the same key, also with changed values: the server then
 * carries out one of them only, and refuses the others if the first one was carried out.
 */
export const createKeys = (make: () => string = () => crypto.randomUUID()) => {
  let held: string | undefined
  let isLost = false
  const spend = () => {
    held = undefined
    isLost = false
  }
  return {
    current: (): string => (held ??= make()),
    spend,
    /**
     * Whether the key is kept: a refusal does not tell what became of a request before it whose answer was lost, unless it says
     * that the key was used, with other values.
     */
    failed: (error: unknown): boolean => {
      const failure = failureOf(error)
      isLost ||= failure !== undefined && leavesUnknown(failure)
      if (isLost && failure?.code !== 'idempotency_mismatch') return true
      spend()
      return false
    },
  }
}
