import { isRefusal } from '../../../contract/core/errors'
import { failureOf } from '../../api/failure'
import { Banner } from '../../ui/layout/notice'
import { describeFailure } from '../failure/failure-text'

type Props = { query: { error: Error | null; refetch: () => unknown } }

const gone: readonly number[] = [403, 404]

/**
 * What was loaded stays on the page when a refresh fails. It says so, and why if the object was deleted or may no longer be seen:
 * otherwise it would be shown in its former state for ever.
 */
export const RefreshFailed = ({ query: { error, refetch } }: Props) => {
  if (!error) return null
  const failure = failureOf(error)
  const again = { label: 'Try again', onClick: () => void refetch() }
  const why = failure && gone.includes(failure.status) ? ` ${describeFailure(failure) ?? ''}` : ''
  return (
    // A refusal would be the same again.
    <Banner kind="error" {...(!(failure && isRefusal(failure)) && { action: again })}>
      The last refresh failed.{why}
    </Banner>
  )
}
