import { rmSync } from 'node:fs'
import { reasonOf } from '../api-client/http'
import type { Device } from '../device'
import { isNoSpace, type UpdateFailure } from './failure'
import { getModeOfAttempt } from './install-modes'
import { attemptOf, end, failedEvent, forgetFiles, noteFailedFallback, type Outcome, reason, step } from './steps'

const record = (device: Device, { code, message }: UpdateFailure): void => {
  const details = reason(code, message)
  step(device, { failure: { code, message } }, failedEvent(code), details)
  step(device, { phase: 'rolling_back' }, 'rollback_started', details)
}

/** Gives a release up after its installation has begun: reports the reason, and rolls back. */
export const beginRollBack = async (device: Device, failure: UpdateFailure): Promise<Outcome> => {
  const attempt = attemptOf(device)
  const mode = getModeOfAttempt(attempt)
  // First, because on a full disk the failure could not be recorded, and the next start would install and fail again.
  try {
    rmSync(device.paths.staging, { recursive: true, force: true })
    mode.discardPartial(device, attempt)
  } catch (error) {
    // A mount point, for instance, is emptied but not removed.
    device.log.warning(`Files of the failed update remain: ${reasonOf(error)}`)
  }
  device.log.err(`Rolling back: ${failure.message} (${failure.code})`)
  try {
    record(device, failure)
  } catch (error) {
    if (!isNoSpace(error)) throw error
    // Still no space: the new files take it. A kill before the record starts the installation again, which fails without its downloads.
    await mode.rollBack(device)
    record(device, failure)
  }
  return rollBack(device)
}

/** Returns to the previous release. Repeated from the start if it is interrupted. */
export const rollBack = async (device: Device): Promise<Outcome> => {
  const { config, log } = device
  const attempt = attemptOf(device)
  const { boot_id, done, failure, slot } = attempt
  await getModeOfAttempt(attempt).rollBack(device)
  // Where the system has restarted for the failed release, it runs until the next restart. Older agents stored no boot.
  const wasRestarted = done.includes('booted') && (boot_id !== undefined || slot !== null)
  const mayRun = wasRestarted && config.reboot_command !== undefined
  const code = failure?.code ?? 'internal'
  const details = reason(code, failure?.message ?? '')
  const changes = { ...noteFailedFallback(device, code), ...(mayRun && { failed_in_boot: device.bootId }) }
  end(device, 'rollback_completed', details, changes)
  forgetFiles(device)
  log.notice('Returned to the previous release')
  return mayRun ? 'reboot' : 'rolled_back'
}
