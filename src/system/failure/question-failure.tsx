import { failureOf } from '../../api/failure'
import { Callout } from '../../ui/layout/notice'
import { FailureBox } from './failure-box'
import { describeFailure } from './failure-text'

/**
 * Why a change was refused that a person was asked about before. When somebody was faster it says what is so now, without the title
 * of a fault: nothing is broken. `unanswered`: said when the answer was lost.
 */
export const QuestionFailure = ({ error, unanswered }: { error: unknown; unanswered: string }) => {
  if (error === null) return null
  const failure = failureOf(error)
  if (!failure || ![409, 410, 412].includes(failure.status)) return <FailureBox error={error} unanswered={unanswered} />
  return (
    <div role="alert">
      <Callout kind="warning">{describeFailure(failure) ?? failure.message}</Callout>
    </div>
  )
}
