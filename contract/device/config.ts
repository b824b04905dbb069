import canonicalize from 'canonicalize'
import { type Infer, literal, object, optional, size } from 'superstruct'
import { boundedList } from '../core/bounded'
import { checkFields, type FieldError } from '../core/field-errors'
import { Id } from '../core/shapes'
import { sha256, utf8 } from './bytes'
import { configDefaults, ConfigName, maxTrustedKeys, ownDirectory, sharedFields, slotRules, tokenOfKind } from './config-fields'
import { fingerprintOf, PublicKey } from './public-key'

const fields = {
  schema: literal(1),
  ...sharedFields,
  name: optional(ConfigName),
  /** Which project's manifests this device accepts; if missing, the answer to enrollment or the first signed manifest decides. */
  project_id: optional(Id),
  enrollment_token: optional(tokenOfKind('enr', 'Enrollment token')),
  public_keys: size(boundedList(PublicKey, maxTrustedKeys), 1, maxTrustedKeys),
  temporary_directory: ownDirectory('Temporary directory'),
}

/** device.json, as the generator creates it and `teasel-agent` reads it; an unknown key is an error. */
export const DeviceConfig = object(fields)
export type DeviceConfig = Infer<typeof DeviceConfig>

const problem = (field: string, code: string, message: string): FieldError => ({ field, code, message })

/** The rules across fields, worded for a person who edits the file. */
const across = (config: DeviceConfig): FieldError[] => {
  const found: FieldError[] = []
  const { device_id, device_token, enrollment_token, public_keys } = config
  const known = device_id !== undefined && device_token !== undefined
  if ((device_id === undefined) !== (device_token === undefined))
    found.push(
      problem(
        device_id === undefined ? 'device_id' : 'device_token',
        'required',
        'Device id and device token must be given together',
      ),
    )
  if (!known && enrollment_token === undefined)
    found.push(problem('enrollment_token', 'required', 'Enrollment token is required, or a device id with a device token'))
  if (known && enrollment_token !== undefined)
    found.push(problem('enrollment_token', 'excluded', 'Enrollment token must not be combined with a device id and token'))
  for (const { at, code, check } of slotRules) {
    const passed = check(config)
    if (passed !== true) found.push(problem(at, code, passed))
  }
  for (const [at, key] of public_keys.entries())
    if (public_keys.findIndex(({ fingerprint }) => fingerprint === key.fingerprint) < at)
      found.push(problem(`public_keys.${at}`, 'duplicate', 'This key is already in the list'))
  return found
}

const keyProblems = async (keys: readonly PublicKey[]): Promise<FieldError[]> => {
  const found: FieldError[] = []
  for (const [at, key] of keys.entries()) {
    const fingerprint = await fingerprintOf(key)
    if (fingerprint === null)
      found.push(problem(`public_keys.${at}.public_key`, 'key', `Public key must be a raw ${key.algorithm} key`))
    else if (fingerprint !== key.fingerprint)
      found.push(
        problem(`public_keys.${at}.fingerprint`, 'fingerprint', `Fingerprint must be ${fingerprint}, the SHA-256 of this key`),
      )
  }
  return found
}

const withDefaults = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...configDefaults, ...value } : value

/** Reads device.json. Every problem names its field and the rule; only documented defaults are filled in. */
export const readConfig = async (value: unknown): Promise<{ config: DeviceConfig } | { problems: FieldError[] }> => {
  const [errors, config] = checkFields(withDefaults(value), DeviceConfig, { coerce: false })
  if (errors) return { problems: errors }
  const problems = [...across(config), ...(await keyProblems(config.public_keys))]
  return problems.length > 0 ? { problems } : { config }
}

/** `client.config_hash`, computed on both sides to show a difference from the generated file. */
export const configHash = (config: unknown): Promise<string> => sha256(utf8(canonicalize(config) ?? ''))
