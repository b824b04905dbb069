import type { Installed } from '../../contract/device/api'
import type { Manifest } from '../../contract/device/manifest'
import type { Device } from '../device'
import { bootAttempts } from './boot'
import { failureOf, UpdateFailure } from './failure'
import { checkFiles } from './fetch-files'
import { hook } from './hook-step'
import { getModeOfAttempt } from './install-modes'
import { beginRollBack } from './roll-back'
import { attemptOf, end, forgetFiles, manifestOf, type Outcome, step, storedManifestOf } from './steps'

/** Installs the release; from the first byte on, every failure leads to a rollback. */
export const installing = async (device: Device): Promise<Outcome> => {
  try {
    const manifest = await manifestOf(device)
    const attempt = attemptOf(device)
    if (!attempt.done.includes('install')) {
      await checkFiles(device, manifest)
      await getModeOfAttempt(attempt).install(device, attempt, manifest)
      step(device, { done: [...attempt.done, 'install'] }, 'install_completed', { progress_percent: 100 })
    }
    await hook(device, manifest, 'post_install', 'post_install_failed')
    return await arm(device, manifest)
  } catch (error) {
    return beginRollBack(device, failureOf(error, 'install_failed'))
  }
}

/** From here on the new release has three starts to be confirmed. */
const arm = async (device: Device, manifest: Manifest): Promise<Outcome> => {
  const attempt = attemptOf(device)
  const mode = getModeOfAttempt(attempt)
  mode.beginTrial(device, attempt)
  if (!mode.needsReboot(manifest)) {
    step(device, { phase: 'validating', attempts_left: bootAttempts }, 'validation_started')
    return validate(device)
  }
  step(device, { phase: 'rebooting', attempts_left: bootAttempts, boot_id: device.bootId }, 'reboot_requested')
  return waitsForOthers(device, manifest) ? 'waiting' : 'reboot'
}

const waitsForOthers = ({ config }: Device, { reboot }: Manifest) => reboot === 'never' || config.stop_after === 'install'

/**
 * A start of the agent in the boot that installed the release, which does not run yet: its validation would judge the former one,
 * and confirm a release that was never started.
 */
const startedWithoutReboot = async (device: Device): Promise<Outcome> => {
  try {
    if (waitsForOthers(device, await manifestOf(device))) return 'waiting'
  } catch (error) {
    return beginRollBack(device, failureOf(error, 'internal'))
  }
  const left = attemptOf(device).attempts_left - 1
  if (left <= 0)
    return beginRollBack(device, new UpdateFailure('boot_failed', `The device did not restart at ${bootAttempts} requests`))
  const message = `Request ${bootAttempts - left + 1} of ${bootAttempts}`
  step(device, { attempts_left: left }, 'reboot_requested', { message })
  return 'reboot'
}

/** First step of a start with a release on trial: decrements the counter before anything else can fail. */
export const started = async (device: Device): Promise<Outcome> => {
  const attempt = attemptOf(device)
  if (attempt.phase === 'rebooting' && attempt.boot_id === device.bootId) return startedWithoutReboot(device)
  const mode = getModeOfAttempt(attempt)
  const left = mode.startsLeft(device, attempt)
  if (left === 'confirmed') return confirm(device, storedManifestOf(device))
  if (left <= 0)
    return beginRollBack(device, new UpdateFailure('boot_failed', `The release did not start in ${bootAttempts} starts`))
  mode.countStart(device, left - 1)
  const message = `Start ${bootAttempts - left + 1} of ${bootAttempts}`
  step(device, { phase: 'validating', attempts_left: left - 1, done: [...attempt.done, 'booted'] }, 'booted', { message })
  step(device, {}, 'validation_started')
  return validate(device)
}

const validate = async (device: Device): Promise<Outcome> => {
  let manifest: Manifest
  try {
    manifest = await manifestOf(device)
    await hook(device, manifest, 'post_reboot', 'post_reboot_failed')
  } catch (error) {
    return beginRollBack(device, failureOf(error, 'post_reboot_failed'))
  }
  step(device, {}, 'validation_passed')
  return confirm(device, manifest)
}

/** Confirms the release: the slot becomes active, and the data for a rollback is removed. */
const confirm = (device: Device, manifest: Pick<Manifest, 'rollback_version' | 'may_return_to'> | null): Outcome => {
  const { log, store } = device
  const attempt = attemptOf(device)
  const { release_id, version, slot } = attempt
  getModeOfAttempt(attempt).confirm(device, attempt)
  const installed: Installed = { release_id, version, slot, confirmed: true }
  const rollback_version = Math.max(store.state.rollback_version, manifest?.rollback_version ?? 0)
  const may_return_to = manifest?.may_return_to ?? []
  end(device, 'update_confirmed', {}, { installed, may_return_to, rollback_version })
  forgetFiles(device)
  log.notice(`Version ${version} is installed and confirmed`)
  return 'confirmed'
}
