import { FailureBox } from '../../../system/failure/failure-box'
import { tryAgainText } from '../../../system/form/held-request'

/** Why a step of a rollout failed, or that its end is not known. */
export const StepFailure = ({ error }: { error: Error | null }) => error && <FailureBox error={error} unanswered={tryAgainText} />
