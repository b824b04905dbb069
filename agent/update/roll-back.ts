import type { Device } from '../device'
import type { UpdateFailure } from './failure'
import { getModeOfAttempt } from './install-modes'
import { attemptOf, end, failedEvent, forgetFiles, type Outcome, reason, step } from './steps'

/** Gives a release up after it was written: reports the reason, and rolls back. */
export const beginRollBack = (device: Device, { code, message }: UpdateFailure): Promise<Outcome> => {
  device.log.err(`Rolling back: ${message} (${code})`)
  const details = reason(code, message)
  step(device, { failure: { code, message } }, failedEvent(code), details)
  step(device, { phase: 'rolling_back' }, 'rollback_started', details)
  return rollBack(device)
}

/** Returns to the previous release. Repeated from the start if it is interrupted. */
export const rollBack = async (device: Device): Promise<Outcome> => {
  const { config, log } = device
  const attempt = attemptOf(device)
  const { done, failure } = attempt
  const mode = getModeOfAttempt(attempt)
  await mode.rollBack(device)
  end(device, 'rollback_completed', reason(failure?.code ?? 'internal', failure?.message ?? ''))
  forgetFiles(device)
  log.notice('Returned to the previous release')
  // Where the system restarts, the failed release may be the running one.
  return mode.runsUntilReboot && done.includes('booted') && config.reboot_command !== undefined ? 'reboot' : 'rolled_back'
}
