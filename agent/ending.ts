import { type ExitCode, exitCodes } from './core/exit-codes'
import type { Outcome } from './update/steps'

/** How a run of the agent ends: with an exit code, or with a request to restart the device. */
export type Ending = { exit: ExitCode } | { reboot: true }

export const endingOf = (outcome: Outcome | null): Ending | null => {
  if (outcome === 'reboot') return { reboot: true }
  return outcome === 'interrupted' ? { exit: exitCodes.done } : null
}

export const codeOf = (last: Outcome | null, trouble: unknown): ExitCode => {
  if (last === 'refused') return exitCodes.refusedUpdate
  if (last === 'confirmed') return exitCodes.done
  return trouble !== null || last === 'failed' || last === 'rolled_back' ? exitCodes.error : exitCodes.done
}
