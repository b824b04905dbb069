import { FailureBox } from '../../../system/failure-box'
import { tryAgainText } from '../../../system/held-request'

/** Why a step of a rollout failed, or that its end is not known. */
export const StepFailure = ({ error }: { error: Error | null }) => error && <FailureBox error={error} unanswered={tryAgainText} />
