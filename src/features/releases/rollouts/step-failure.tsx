import { FailureBox } from '../../../system/failure-box'
import { isUnanswered } from '../../../system/held-request'
import { Callout } from '../../../ui/notice'

/** Why a step of a rollout failed, or that its end is not known. */
export const StepFailure = ({ error }: { error: Error | null }) =>
  error && (
    <>
      <FailureBox error={error} />
      {isUnanswered(error) && (
        <Callout kind="warning">It is not known whether this was done. Try it again: it is not done twice.</Callout>
      )}
    </>
  )
