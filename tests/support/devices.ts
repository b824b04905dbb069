import { randomUUID } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { Attributes, CheckInBody, DeviceEvent, EnrollBody } from '../../contract/device/api'
import { sha256, toBase64, utf8 } from '../../contract/device/bytes'
import { proveEnrollment } from '../../contract/device/enrollment-proof'

const none = '0'.repeat(64)

/** The body of a valid enrollment; the serial number is new unless it is given. */
export const enrollBody = (facts: Partial<EnrollBody> = {}): EnrollBody => ({
  serial_number: `SN-${randomUUID()}`,
  hardware_model: 'gw-imx8m',
  trusted_keys: [],
  client: { name: 'teasel-agent', version: '0.1.0', config_hash: none },
  ...facts,
})

export const checkInBody = (facts: Partial<CheckInBody> = {}): CheckInBody => ({
  boot_id: '0b54b1e2-6f0e-4a3f-9d3a-6f1f0a9d7c11',
  uptime_s: 60,
  installed: null,
  trusted_keys: [],
  secure_boot: { state: 'unknown', rollback_version: 0 },
  attributes_hash: none,
  client: { name: 'teasel-agent', version: '0.1.0', config_hash: none },
  ...facts,
})

export const attributesHash = (attributes: Attributes) => sha256(utf8(canonicalize(attributes) ?? ''))

export type DeviceKey = { privateKey: CryptoKey; publicKey: string }

export const deviceKey = async (): Promise<DeviceKey> => {
  const pair = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])
  if (!('privateKey' in pair)) throw new Error('Ed25519 makes pairs')
  const raw = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey))
  return { privateKey: pair.privateKey, publicKey: toBase64(raw) }
}

/** The facts by which a device proves at `issued_ms` that it has this key. */
export const enrollmentProofBody = async (
  key: DeviceKey,
  serial_number: string,
  issued_ms: number,
): Promise<Partial<EnrollBody>> => ({
  serial_number,
  public_key: key.publicKey,
  proof: { issued_ms, signature: await proveEnrollment(key.privateKey, serial_number, issued_ms) },
})

export const eventOf = (facts: Partial<DeviceEvent> & Pick<DeviceEvent, 'sequence' | 'type'>): DeviceEvent => ({
  event_id: randomUUID(),
  rollout_id: null,
  release_id: null,
  version: null,
  ts_ms: 1_780_000_000_000 + facts.sequence * 1000,
  ...facts,
})
