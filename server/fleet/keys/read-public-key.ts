import { createHash, createPublicKey } from 'node:crypto'
import { pemOf, publicKeyFromPem } from '../../../contract/device/public-key'
import { containsPrivateKey, type SigningKey } from '../../../contract/fleet/keys'
import { refuseField } from '../../core/http/refuse'
import { isKnownTestKey } from './known-test-keys'

type Algorithm = SigningKey['algorithm']
export type ReadKey = { algorithm: Algorithm; pem: string; fingerprint: string; isKnownTestKey: boolean }

const words: Record<Algorithm, string> = {
  ed25519: 'an Ed25519 key',
  'ecdsa-p256': 'a P-256 key',
  'rsa-3072': 'an RSA key of 3072 bits',
}

const wrong = (algorithm: Algorithm) =>
  refuseField('public_key_pem', 'wrong_algorithm', `This is not ${words[algorithm]}; paste its public key as PEM`)

const readRsa = (pem: string): ReadKey | null => {
  try {
    const key = createPublicKey(pem)
    if (key.asymmetricKeyType !== 'rsa' || key.asymmetricKeyDetails?.modulusLength !== 3072) return null
    const spki = key.export({ type: 'spki', format: 'der' })
    const fingerprint = createHash('sha256').update(spki).digest('hex')
    return { algorithm: 'rsa-3072', pem: String(key.export({ type: 'spki', format: 'pem' })), fingerprint, isKnownTestKey: false }
  } catch {
    return null
  }
}

/** Parses the public key and writes it again, so that nothing around it is kept. 422 for anything else. */
export const readPublicKey = async (algorithm: Algorithm, pem: string): Promise<ReadKey> => {
  // A private key is refused before any parsing. `createPublicKey` would accept it.
  if (containsPrivateKey(pem))
    refuseField('public_key_pem', 'private_key', 'This is a private key. Keep it where it is and paste the public key')
  if (algorithm === 'rsa-3072') return readRsa(pem) ?? wrong(algorithm)
  const key = await publicKeyFromPem(pem)
  if (key?.algorithm !== algorithm) return wrong(algorithm)
  const { fingerprint, public_key } = key
  return { algorithm, pem: pemOf(key), fingerprint, isKnownTestKey: isKnownTestKey(public_key) }
}
