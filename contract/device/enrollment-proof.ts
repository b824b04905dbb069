import { type Bytes, fromBase64, toBase64, utf8 } from './bytes'
import { importPublicKey } from './public-key'

/**
 * What a device signs with its own key to enroll again under a serial number that is already taken. `issued_ms` only rises, and
 * the server refuses one that is not above the last one: a recorded proof is useless, and a device needs no correct clock.
 */
const enrollmentProof = (serialNumber: string, issuedMs: number): Bytes => utf8(`teasel-enroll-v1\n${serialNumber}\n${issuedMs}`)

export const proveEnrollment = async (key: CryptoKey, serialNumber: string, issuedMs: number): Promise<string> =>
  toBase64(new Uint8Array(await crypto.subtle.sign({ name: 'Ed25519' }, key, enrollmentProof(serialNumber, issuedMs))))

export const isEnrollmentProof = async (
  publicKey: string,
  serialNumber: string,
  proof: { issued_ms: number; signature: string },
): Promise<boolean> => {
  const key = await importPublicKey({ algorithm: 'ed25519', public_key: publicKey })
  const signature = fromBase64(proof.signature)
  if (!key || !signature) return false
  return crypto.subtle.verify({ name: 'Ed25519' }, key, signature, enrollmentProof(serialNumber, proof.issued_ms))
}
