import { ChangeFailure } from '../../../system/failure/change-failure'
import { tryAgainText } from '../../../system/form/held-request'

/** Why a step of a rollout failed, or that its end is not known. */
export const StepFailure = ({ error }: { error: Error | null }) => <ChangeFailure error={error} unanswered={tryAgainText} />
