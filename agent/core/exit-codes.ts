/** Exit codes, for a caller or a service manager. */
export const exitCodes = { done: 0, error: 1, badConfiguration: 2, refusedUpdate: 3, decommissioned: 4 } as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** Between an agent and its launcher only: start the agent again. */
export const restartCode = 75
