import type { FailureCode } from './update-events'

/**
 * Why a manifest is refused. The reason is exact, for people and tests; the code is sent in an update event, where a wrong
 * project counts as a wrong device.
 */
const refusals = {
  envelope_malformed: ['signature_invalid', 'The envelope is not a DSSE envelope'],
  payload_type: ['signature_invalid', 'The envelope contains something other than a manifest'],
  key_unknown: ['key_unknown', 'No key of this device signed the manifest'],
  key_revoked: ['key_revoked', 'The key that signed the manifest is revoked'],
  signature_wrong: ['signature_invalid', 'The signature does not match the manifest'],
  not_canonical: ['signature_invalid', 'The manifest is not canonical JSON'],
  schema: ['signature_invalid', 'The manifest has missing or invalid fields'],
  expired: ['manifest_expired', 'The manifest has expired'],
  wrong_project: ['hardware_mismatch', 'The manifest is for another project'],
  wrong_model: ['hardware_mismatch', 'The manifest is for other hardware'],
  not_newer: ['version_not_newer', 'The version is not above the installed one, and neither release allows going back to it'],
  below_minimum: ['version_not_newer', 'The installed version is below the one that the release requires'],
  rollback_number: ['rollback_protection', 'The rollback number is below the one in the hardware of this device'],
} as const satisfies Record<string, readonly [FailureCode, string]>

export type Refusal = keyof typeof refusals
export type Refused = { ok: false; code: FailureCode; reason: Refusal; message: string }

export const refuse = (reason: Refusal): Refused => ({
  ok: false,
  code: refusals[reason][0],
  reason,
  message: refusals[reason][1],
})
