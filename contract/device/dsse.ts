import { type Infer, object, size, string } from 'superstruct'
import { boundedList } from '../core/bounded'
import { Sha256 } from '../core/shapes'
import { type Bytes, concat, toBase64, utf8 } from './bytes'
import { importPublicKey, type KeyAlgorithm, type PublicKey } from './public-key'
import type { SigningKey } from './private-key'

/** A DSSE v1 envelope: the payload and its signatures. */
export const Envelope = object({
  payload: string(),
  payloadType: string(),
  signatures: size(boundedList(object({ keyid: Sha256, sig: string() }), 16), 1, 16),
})
export type Envelope = Infer<typeof Envelope>
export type Signature = { fingerprint: string; signature: Bytes }

/** The signed bytes (PAE): type and payload with their lengths, so that no part of one can count as the other. */
export const preAuthentication = (payloadType: string, payload: Uint8Array): Bytes => {
  const type = utf8(payloadType)
  return concat(utf8(`DSSEv1 ${type.length} `), type, utf8(` ${payload.length} `), payload)
}

const signParameters = { ed25519: { name: 'Ed25519' }, 'ecdsa-p256': { name: 'ECDSA', hash: 'SHA-256' } } as const
const signatureLength = 64

export const sign = async (key: SigningKey, payloadType: string, payload: Uint8Array): Promise<Signature> => {
  const signed = await crypto.subtle.sign(
    signParameters[key.publicKey.algorithm],
    key.privateKey,
    preAuthentication(payloadType, payload),
  )
  return { fingerprint: key.publicKey.fingerprint, signature: new Uint8Array(signed) }
}

/** Whether a key signed exactly these bytes. */
export const isSignatureOfBytes = async (key: PublicKey, bytes: Bytes, signature: Bytes): Promise<boolean> => {
  const imported = signature.length === signatureLength ? await importPublicKey(key) : null
  return imported !== null && crypto.subtle.verify(signParameters[key.algorithm], imported, signature, bytes)
}

export const isSignatureOf = (key: PublicKey, payloadType: string, payload: Uint8Array, signature: Bytes): Promise<boolean> =>
  isSignatureOfBytes(key, preAuthentication(payloadType, payload), signature)

const integerOf = (der: Uint8Array, at: number): { value: Bytes; end: number } | null => {
  const length = der[at + 1]
  if (der[at] !== 2 || length === undefined || length < 1 || length > 33) return null
  const end = at + 2 + length
  const value = der.slice(at + 2, end)
  const digits = value[0] === 0 ? value.subarray(1) : value
  if (end > der.length || digits.length > 32) return null
  return { value: concat(new Uint8Array(32 - digits.length), digits), end }
}

/**
 * The 64 bytes of an envelope's signature. OpenSSL writes ECDSA as DER and WebCrypto as r‖s: both are accepted, r‖s is stored.
 * Null if it is neither.
 */
export const rawSignature = (algorithm: KeyAlgorithm, bytes: Bytes): Bytes | null => {
  if (bytes.length === signatureLength) return bytes
  if (algorithm !== 'ecdsa-p256' || bytes[0] !== 0x30 || bytes[1] !== bytes.length - 2) return null
  const r = integerOf(bytes, 2)
  const s = r && integerOf(bytes, r.end)
  return r && s && s.end === bytes.length ? concat(r.value, s.value) : null
}

export const envelopeOf = (payloadType: string, payload: Uint8Array, signatures: readonly Signature[]): Envelope => ({
  payload: toBase64(payload),
  payloadType,
  signatures: signatures.map(({ fingerprint, signature }) => ({ keyid: fingerprint, sig: toBase64(signature) })),
})
