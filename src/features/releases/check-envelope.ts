import { openEnvelope } from '../../../contract/device/manifest'
import { publicKeyFromPem } from '../../../contract/device/public-key'
import { fromUtf8 } from '../../../contract/device/bytes'
import type { SigningKey } from '../../../contract/fleet/keys'

export type EnvelopeCheck = { holds: true } | { holds: false; reason: string }

const parsed = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(fromUtf8(bytes))
  } catch {
    return undefined
  }
}

/** Verifies that the named key signed the envelope, with the devices' own code. */
export const checkEnvelope = async (
  envelope: ArrayBuffer,
  keys: readonly SigningKey[],
  keyId: string,
): Promise<EnvelopeCheck> => {
  const key = keys.find((one) => one.id === keyId)
  const trusted = key && (await publicKeyFromPem(key.public_key_pem))
  if (!trusted) return { holds: false, reason: 'the key is not registered in this project' }
  const opened = await openEnvelope(parsed(new Uint8Array(envelope)), [{ ...trusted, revoked: key.state === 'revoked' }])
  return opened.ok ? { holds: true } : { holds: false, reason: opened.code }
}
