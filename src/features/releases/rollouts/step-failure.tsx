import { QuestionFailure } from '../../../system/failure/question-failure'
import { tryAgainText } from '../../../system/form/held-request'

/** Why a step of a rollout failed, or that its end is not known. */
export const StepFailure = ({ error }: { error: Error | null }) => <QuestionFailure error={error} unanswered={tryAgainText} />
