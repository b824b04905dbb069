import { createHash } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { is } from 'superstruct'
import type { DeviceEvent } from '../../contract/device/api'
import { fromBase64 } from '../../contract/device/bytes'
import { Envelope } from '../../contract/device/dsse'
import { type Manifest, openEnvelope, readManifest } from '../../contract/device/manifest'
import { type FailureCode, isRetryable } from '../../contract/device/update-events'
import { plainText } from '../core/plain-text'
import type { Device } from '../device'
import { subjectOf } from '../state/outbox'
import type { Attempt, State } from '../state/store'
import { UpdateFailure } from './failure'

/** How an update ended in this process. `reboot`: the device must restart; `waiting`: someone else will restart it. */
export type Outcome =
  | 'confirmed'
  | 'failed'
  | 'rolled_back'
  | 'refused'
  | 'cancelled'
  | 'reboot'
  | 'waiting'
  | 'stopped'
  | 'interrupted'

type Details = Partial<Omit<DeviceEvent, 'event_id' | 'sequence' | 'type' | 'ts_ms'>>

export const attemptOf = ({ store }: Device): Attempt => {
  const { attempt } = store.state
  if (!attempt) throw new Error('No update is running')
  return attempt
}

/** Writes a step and its report at once. */
export const step = (device: Device, changes: Partial<Attempt>, type: DeviceEvent['type'], details: Details = {}): void => {
  const attempt = { ...attemptOf(device), ...changes }
  device.outbox.note(subjectOf(attempt), type, { slot: attempt.slot, ...details }, { attempt })
}

/** Writes the last report of an update together with its result. */
export const end = (device: Device, type: DeviceEvent['type'], details: Details, changes: Partial<State> = {}): void => {
  const attempt = attemptOf(device)
  device.outbox.note(subjectOf(attempt), type, { slot: attempt.slot, ...details }, { ...changes, attempt: null })
}

export const reason = (code: FailureCode, message: string) => ({ reason_code: code, message: plainText(message, 1024) })

const verdicts: readonly FailureCode[] = [
  'signature_invalid',
  'key_unknown',
  'key_revoked',
  'manifest_expired',
  'version_not_newer',
  'hardware_mismatch',
  'rollback_protection',
  'hash_mismatch',
]
/** The device refused it, as opposed to a failed attempt. */
export const isRejection = (code: FailureCode): boolean => verdicts.includes(code)

export const hashOfEnvelope = (envelope: unknown): string => createHash('sha256').update(JSON.stringify(envelope)).digest('hex')

/** A failed manifest of the fallback URL is not tried again: there is no server that would put it into quarantine. */
export const noteFailedFallback = (device: Device, code: FailureCode): Partial<State> => {
  const { envelope, origin } = attemptOf(device)
  return origin === device.config.server_url || isRetryable(code) ? {} : { failed_fallback: hashOfEnvelope(envelope) }
}

/** The event type of a failure: some codes have their own. */
export const failedEvent = (code: FailureCode): DeviceEvent['type'] => {
  if (isRejection(code)) return 'verification_failed'
  return code === 'pre_install_failed' || code === 'post_install_failed' || code === 'post_reboot_failed' ? code : 'update_failed'
}

/** The manifest of the running update. Its signature is verified at each read, because its file could have been changed. */
export const manifestOf = async (device: Device): Promise<Manifest> => {
  const opened = await openEnvelope(attemptOf(device).envelope, device.trust.keys())
  if (!opened.ok) throw new UpdateFailure(opened.code, opened.message)
  return opened.manifest
}

/**
 * The manifest of the running update as it is stored, for a release that the bootloader has confirmed: it runs, also if its key is
 * not trusted any more. Null if it cannot be read.
 */
export const storedManifestOf = (device: Device): Manifest | null => {
  const { envelope } = attemptOf(device)
  const payload = is(envelope, Envelope) ? fromBase64(envelope.payload) : null
  const read = payload && readManifest(payload)
  return read && 'manifest' in read ? read.manifest : null
}

/** Removes downloaded and saved files of an ended update; the backup last, see `forgetLeftFiles`. */
export const forgetFiles = ({ paths }: Device): void => {
  rmSync(paths.staging, { recursive: true, force: true })
  rmSync(paths.backup, { recursive: true, force: true })
}

/** The same after a kill between the end of an update and the removal. Downloads of an update that was given up have no backup. */
export const forgetLeftFiles = (device: Device): void => {
  if (!device.store.state.attempt && existsSync(device.paths.backup)) forgetFiles(device)
}
