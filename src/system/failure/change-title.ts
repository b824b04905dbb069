import { type Failure, isRefusal, titleOf } from '../../../contract/core/errors'

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
