/** Exit codes of `teasel-agent`, for a caller or a service manager. */
export const exitCodes = { done: 0, error: 1, badConfiguration: 2, refusedUpdate: 3, decommissioned: 4 } as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** The agent ends with this code to be started again. Its launcher reads it, and nothing else sees it (EX_TEMPFAIL of sysexits.h). */
export const restartCode = 75
