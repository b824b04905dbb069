import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { type Infer, integer, is, nullable, object, optional, string } from 'superstruct'
import type { DeviceConfig } from '../../contract/device/config'
import { generateSigningKey, type SigningKey, signingKeyFromPem } from '../../contract/device/private-key'
import { writeAtomically } from '../core/files'

/** The device's identity at its server: `identity.json`, 0600. */
export const Identity = object({
  device_id: string(),
  device_token: string(),
  /** A new token that has not been used yet: the former one is kept until the server accepts it. */
  next_token: optional(string()),
  /** When the token was confirmed; missing for the token of the enrollment. */
  rotated_at_ms: optional(integer()),
  project_id: optional(nullable(string())),
  enrolled_at_ms: integer(),
})
export type Identity = Infer<typeof Identity>

const fileOf = (config: DeviceConfig) => join(config.persistent_directory, 'identity.json')

export const readIdentity = (config: DeviceConfig): Identity | null => {
  if (config.device_id !== undefined && config.device_token !== undefined)
    return { device_id: config.device_id, device_token: config.device_token, enrolled_at_ms: 0 }
  const path = fileOf(config)
  if (!existsSync(path)) return null
  const text = readFileSync(path, 'utf8')
  try {
    const value: unknown = JSON.parse(text)
    if (is(value, Identity)) return value
  } catch {
    // Not JSON: moved aside like JSON that does not match the struct.
  }
  // The device enrolls again and proves by its key that it is the same.
  renameSync(path, `${path}.unreadable`)
  return null
}

export const writeIdentity = (config: DeviceConfig, identity: Identity): void =>
  writeAtomically(fileOf(config), `${JSON.stringify(identity, null, 2)}\n`)

/** The device's own key pair, created at the first start; it proves at a second enrollment that the device is the same. */
export const deviceKey = async (config: DeviceConfig): Promise<SigningKey> => {
  const path = join(config.persistent_directory, 'device-key.pem')
  if (!existsSync(path)) writeAtomically(path, (await generateSigningKey('ed25519')).privateKeyPem)
  const key = await signingKeyFromPem(readFileSync(path, 'utf8'))
  if (!key) throw new Error(`${path} cannot be read; delete it to create a new key`)
  return key
}

const printable = /^[\x21-\x7e]{1,128}$/

/**
 * The first line of `identity_path`, for instance of /proc/device-tree/serial-number; otherwise a generated number that is
 * stored.
 */
export const serialNumber = (config: DeviceConfig): string => {
  if (config.identity_path !== undefined) {
    const line = readFileSync(config.identity_path, 'utf8').split('\n', 1)[0]?.replace(/\0/g, '').trim() ?? ''
    if (!printable.test(line))
      throw new Error(`${config.identity_path} does not contain a serial number of 1 to 128 visible characters`)
    return line
  }
  const path = join(config.persistent_directory, 'serial-number')
  if (!existsSync(path)) writeAtomically(path, `tsl-${randomBytes(6).toString('hex')}\n`)
  return readFileSync(path, 'utf8').trim()
}
