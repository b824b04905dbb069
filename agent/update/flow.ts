import { rmSync } from 'node:fs'
import { verify } from '../../contract/device/verify'
import { signedFloor } from '../core/clock'
import { makeDirectory } from '../core/files'
import { type Device, factsOf } from '../device'
import { Refused } from '../api-client/http'
import { subjectOf } from '../state/outbox'
import type { Attempt } from '../state/store'
import { Aborted, failureOf, FileUnavailable, NotForDevice, UpdateFailure } from './failure'
import { checkFiles, checkSpace, fetchFiles } from './fetch-files'
import { hook } from './hook-step'
import { refusalOf } from './install-mode'
import { getConfiguredMode, getModeOfAttempt } from './install-modes'
import { rollBack } from './roll-back'
import { attemptOf, end, failedEvent, isRejection, noteFailedFallback, type Outcome, reason, step } from './steps'
import { installing, started } from './trial'

/**
 * Checks an offer with the keys that the device trusts and accepts it, or refuses with a reason. Writes nothing
 * before.
 */
export const considerOffer = async (
  device: Device,
  envelope: unknown,
  rolloutId: string | null,
  origin: string,
): Promise<Outcome> => {
  const { clock, log, outbox, store, trust } = device
  const verdict = await verify(envelope, trust.keys(), factsOf(device))
  if (!verdict.ok) {
    log.err(`Refused a manifest: ${verdict.message} (${verdict.code})`)
    const subject = {
      rollout_id: rolloutId,
      release_id: verdict.manifest?.id ?? null,
      version: verdict.manifest?.version ?? null,
    }
    outbox.note(subject, 'verification_failed', reason(verdict.code, verdict.message))
    return 'refused'
  }
  const { manifest, key } = verdict
  log.notice(`Accepted ${manifest.name}, version ${manifest.version}, signed by ${key.fingerprint.slice(0, 16)}`)
  const attempt: Attempt = {
    rollout_id: rolloutId,
    release_id: manifest.id,
    version: manifest.version,
    envelope,
    origin,
    phase: 'accepted',
    done: [],
    update_mode: device.config.update_mode,
    slot: getConfiguredMode(device).chooseSlot(device),
    attempts_left: 0,
    failure: null,
  }
  const facts = {
    project_id: manifest.project_id,
    signed_floor_ms: Math.max(store.state.signed_floor_ms, signedFloor(Date.parse(manifest.created_at), clock.now())),
  }
  outbox.note(subjectOf(attempt), 'update_accepted', {}, { attempt, ...facts })
  return resume(device)
}

/** Continues the running update from the state of the last process. */
export const resume = async (device: Device): Promise<Outcome> => {
  const from = { accepted: prepare, installing, rebooting: started, validating: started, rolling_back: rollBack }
  return from[attemptOf(device).phase](device)
}

/** In this order: signature, rules, space, download, hashes, hook. Nothing of the running release is changed. */
const prepare = async (device: Device): Promise<Outcome> => {
  const { config, paths, stopping, trust } = device
  try {
    const verdict = await verify(attemptOf(device).envelope, trust.keys(), factsOf(device))
    if (!verdict.ok) throw new UpdateFailure(verdict.code, verdict.message)
    const { manifest, key } = verdict
    // Known before the download rather than after it.
    const refusal = refusalOf(getModeOfAttempt(attemptOf(device)), device, manifest)
    if (refusal !== null) throw new NotForDevice(refusal)
    await fetchFiles(device, attemptOf(device), manifest)
    step(device, {}, 'verification_started')
    await checkFiles(device, manifest)
    step(device, {}, 'verification_passed', { key_fingerprint: key.fingerprint })
    if (config.stop_after === 'download') {
      end(device, 'update_deferred', reason('user_deferred', 'The configuration stops after the download'))
      return 'stopped'
    }
    await hook(device, manifest, 'pre_install', 'pre_install_failed')
    rmSync(paths.backup, { recursive: true, force: true })
    // In every mode: without an update, it shows the next start that a kill came before the files were removed.
    makeDirectory(paths.backup)
    // Once more: the sizes of unpacked archives are known now.
    await checkSpace(device, attemptOf(device), manifest)
    step(device, { phase: 'installing' }, 'install_started')
  } catch (error) {
    if (stopping.aborted) return 'interrupted'
    if (error instanceof Refused) throw error
    return giveUp(device, error)
  }
  return installing(device)
}

/**
 * Nothing was installed, so the update simply ends. Downloaded bytes stay, because a repeated offer continues the download, except on
 * a full disk, where the failure could not be recorded.
 */
const giveUp = (device: Device, error: unknown): Outcome => {
  const { log, paths } = device
  if (error instanceof Aborted) {
    log.notice('The server cancelled the update')
    end(device, 'update_cancelled', reason('aborted', error.message))
    return 'cancelled'
  }
  if (error instanceof NotForDevice) {
    log.warning(`Not for this device: ${error.message}`)
    const changes = noteFailedFallback(device, 'hardware_mismatch')
    end(device, 'update_cancelled', reason('hardware_mismatch', `Not for this device: ${error.message}`), changes)
    return 'refused'
  }
  if (error instanceof FileUnavailable) {
    log.warning(`The update waits: ${error.message}`)
    end(device, 'update_deferred', reason('download_incomplete', error.message))
    return 'failed'
  }
  const { code, message } = failureOf(error, 'internal')
  if (code === 'no_space') rmSync(paths.staging, { recursive: true, force: true })
  log.err(`The update failed: ${message} (${code})`)
  end(device, failedEvent(code), reason(code, message), noteFailedFallback(device, code))
  if (code === 'hash_mismatch') rmSync(paths.staging, { recursive: true, force: true })
  return isRejection(code) ? 'refused' : 'failed'
}
