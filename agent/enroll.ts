import type { EnrollBody } from '../contract/device/api'
import { proveEnrollment } from '../contract/device/enrollment-proof'
import { Refused } from './api-client/http'
import { client } from './core/version'
import type { Device } from './device'
import { readAttributes } from './report/attributes'
import { readInstalls } from './update/install-modes'
import { deviceKey, type Identity, readIdentity, serialNumber, writeIdentity } from './state/identity'

/** Enrolls the device with the token of its configuration; a known serial number is proved with the device's own key. */
export const enroll = async (device: Device): Promise<{ identity: Identity; pollIntervalS: number; pending: boolean }> => {
  const { api, clock, config, configHash, log, store, trust } = device
  const { enrollment_token } = config
  if (enrollment_token === undefined) throw new Error('The configuration has no enrollment token')
  const key = await deviceKey(config)
  const serial_number = serialNumber(config)
  const bodyAt = async (issued_ms: number): Promise<EnrollBody> => ({
    serial_number,
    hardware_model: config.hardware_model,
    ...(config.name === undefined ? {} : { name: config.name }),
    attributes: readAttributes(config.persistent_directory, store.state.installed?.slot ?? null, readInstalls(device)),
    trusted_keys: trust.fingerprints(),
    client: { ...client, config_hash: configHash },
    polling_interval_s: config.polling_interval_s,
    public_key: key.publicKey.public_key,
    proof: { issued_ms, signature: await proveEnrollment(key.privateKey, serial_number, issued_ms) },
  })
  // A proof counts once: it must be later than that of the enrollment before, whatever the clock shows now.
  let issuedMs = Math.max(clock.now(), (readIdentity(config)?.enrolled_at_ms ?? 0) + 1)
  const answer = await api.enroll(enrollment_token, await bodyAt(issuedMs)).catch(async (error: unknown) => {
    if (!(error instanceof Refused && error.code === 'serial_exists' && error.dateMs > issuedMs)) throw error
    // The clock was reset, and this refusal has accepted the enrollment token.
    clock.atLeast(error.dateMs)
    issuedMs = clock.now()
    return api.enroll(enrollment_token, await bodyAt(issuedMs))
  })
  const identity: Identity = {
    device_id: answer.device_id,
    device_token: answer.device_token,
    project_id: answer.project_id ?? null,
    // Not before the proof, because the next one has to be later.
    enrolled_at_ms: Math.max(issuedMs, clock.now()),
  }
  writeIdentity(config, identity)
  log.notice(`Enrolled as ${answer.device_id} with serial number ${serial_number}`)
  return { identity, pollIntervalS: answer.polling_interval_s, pending: answer.lifecycle === 'pending' }
}
