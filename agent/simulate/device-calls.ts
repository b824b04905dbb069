import canonicalize from 'canonicalize'
import type { CheckInAnswer } from '../../contract/device/api'
import { sha256, utf8 } from '../../contract/device/bytes'
import { proveEnrollment } from '../../contract/device/enrollment-proof'
import { signingKeyFromPem } from '../../contract/device/private-key'
import { readSecureBootFile } from '../report/secure-boot'
import { reportOf } from './log-lines'
import { fleetClient, type SimulatedDevice } from './simulated-device'

const hashOf = (value: unknown) => sha256(utf8(canonicalize(value) ?? ''))

/** Enrolls the device with its own key, and stores the token that it gets. */
export const enroll = async (device: SimulatedDevice): Promise<void> => {
  const { api, kind, memory, options, profile, serial } = device
  const key = await signingKeyFromPem(memory.privateKey)
  if (!key) throw new Error(`The key of ${serial} cannot be read`)
  const issued_ms = Date.now()
  const {
    device_id,
    device_token,
    project_id = null,
  } = await api.enroll(options.tokenFor(kind.model), {
    serial_number: serial,
    hardware_model: kind.model,
    name: profile.name,
    attributes: device.attributes(),
    trusted_keys: device.trust.fingerprints(),
    client: { ...fleetClient, config_hash: await hashOf({ serial, model: kind.model }) },
    public_key: key.publicKey.public_key,
    ...(options.pollingIntervalS !== undefined && { polling_interval_s: options.pollingIntervalS }),
    proof: { issued_ms, signature: await proveEnrollment(key.privateKey, serial, issued_ms) },
  })
  memory.identity = { device_id, device_token, project_id, enrolled_at_ms: issued_ms }
  device.logBoot()
}

/** One check-in, with the attributes if the server asks for them. */
export const checkIn = async (device: SimulatedDevice): Promise<CheckInAnswer> => {
  const { api, kind, memory, options, signals, stopping, store, trust } = device
  const battery = signals.battery()
  const attributes_hash = await hashOf(device.attributes())
  const path = options.secureBootFile(kind.model)
  const scripted = path === undefined ? {} : readSecureBootFile(path)
  const state = kind.attributes['secure_boot_state'] === 'closed' ? ('closed' as const) : ('enforcing' as const)
  const answer = await api.checkIn(
    {
      boot_id: device.bootId(),
      uptime_s: signals.uptimeS(Date.now()),
      installed: store.state.installed,
      trusted_keys: trust.fingerprints(),
      key_list_counter: trust.counter(),
      secure_boot: { state, ...scripted, rollback_version: store.state.rollback_version },
      attributes_hash,
      ...(battery === null ? {} : { battery_percent: battery }),
    },
    stopping,
  )
  const { identity } = memory
  if (answer.project_id !== undefined && identity) memory.identity = { ...identity, project_id: answer.project_id }
  if (answer.want_attributes) await api.attributes(device.attributes())
  return answer
}

/** Measures, writes log lines that fit the values, and sends both. `minutes` is the time since the last report. */
export const report = async (device: SimulatedDevice, minutes: number): Promise<void> => {
  const { api, kind, logBuffer, options, random, serial, signals } = device
  const now = Date.now()
  const { logFactor: share, incidentsPerDay: perDay } = options
  const { readings, incidents, lines } = reportOf(kind, random, signals, { nowMs: now, minutes, share, perDay })
  for (const { level, unit, message } of lines) logBuffer.add(level, unit, message)
  for (const incident of incidents) options.recordIncident(serial, incident, now)
  await api.metrics(readings.map((reading) => ({ ...reading, ts_ms: now })))
  await logBuffer.send(api)
}
