/** Exit codes of `teasel`, for scripts and pipelines. */
export const exitCodes = { done: 0, failed: 1, usage: 2, halted: 3, timedOut: 4, approvalWanted: 5, incomplete: 6 } as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
