/** What a caller or a service manager may conclude from the end of the program (product.md 4.14). */
export const exitCodes = { done: 0, error: 1, badConfiguration: 2, refusedUpdate: 3, decommissioned: 4 } as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** Between an agent and its launcher only: start me again. */
export const restartCode = 75
