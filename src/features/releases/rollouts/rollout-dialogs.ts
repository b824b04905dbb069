/** The dialogs for changes of a rollout, in one chunk: each of them is small. */
export { CancelRolloutDialog } from './cancel-rollout-dialog'
export { DecideDialog } from './decide-dialog'
export { ResumeDialog } from './resume-dialog'
export { RetryDialog } from './retry-dialog'
export { RollBackDialog } from './roll-back-dialog'
export { StepDialog } from './step-dialog'
