import { FailureBox } from '../../../system/failure-box'
import { isUnanswered, tryAgainText } from '../../../system/held-request'
import { Callout } from '../../../ui/notice'

/** Why a step of a rollout failed, or that its end is not known. */
export const StepFailure = ({ error }: { error: Error | null }) =>
  error && (
    <>
      <FailureBox error={error} />
      {isUnanswered(error) && <Callout kind="warning">{tryAgainText}</Callout>}
    </>
  )
