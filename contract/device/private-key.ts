import { fromBase64, hex } from './bytes'
import { importParameters, type KeyAlgorithm, keyAlgorithms, pem, type PublicKey, publicKeyFromSpki } from './public-key'

/** A signing key in memory, in the page that signs or in the command. It is never sent to a server. */
export type SigningKey = { privateKey: CryptoKey; publicKey: PublicKey }

const uses: KeyUsage[] = ['sign', 'verify']

/** A new key pair, extractable so that its owner can store it. */
export const generateSigningKey = async (algorithm: KeyAlgorithm): Promise<SigningKey & { privateKeyPem: string }> => {
  const pair = (await crypto.subtle.generateKey(importParameters[algorithm], true, uses)) as CryptoKeyPair
  const publicKey = await publicKeyFromSpki(new Uint8Array(await crypto.subtle.exportKey('spki', pair.publicKey)))
  if (!publicKey) throw new Error('The new key could not be read back')
  const pkcs8 = new Uint8Array(await crypto.subtle.exportKey('pkcs8', pair.privateKey))
  return { privateKey: pair.privateKey, publicKey, privateKeyPem: pem('PRIVATE KEY', pkcs8) }
}

const pemForm = /^-----BEGIN PRIVATE KEY-----\s([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----$/
/** An elliptic curve may be spelled out instead of named: WebCrypto refuses any but P-256. */
const objectId: Record<KeyAlgorithm, string> = { ed25519: '06032b6570', 'ecdsa-p256': '06072a8648ce3d0201' }

/** The public key by way of JWK, the only form in which WebCrypto exports it from a private key. */
const publicHalf = async (privateKey: CryptoKey, algorithm: KeyAlgorithm) => {
  const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', privateKey)
  const half = await crypto.subtle.importKey('jwk', { kty, crv, x, y }, importParameters[algorithm], true, ['verify'])
  return publicKeyFromSpki(new Uint8Array(await crypto.subtle.exportKey('spki', half)))
}

/** Parses an unencrypted PKCS#8 PEM of one of the algorithms; null for anything else. */
export const signingKeyFromPem = async (text: string): Promise<SigningKey | null> => {
  const der = fromBase64(pemForm.exec(text.trim())?.[1]?.replace(/\s/g, '') ?? '!')
  if (!der) return null
  const head = hex(der.subarray(0, 40))
  const algorithm = keyAlgorithms.find((name) => head.includes(objectId[name]))
  if (!algorithm) return null
  try {
    const privateKey = await crypto.subtle.importKey('pkcs8', der, importParameters[algorithm], true, ['sign'])
    const publicKey = await publicHalf(privateKey, algorithm)
    return publicKey && { privateKey, publicKey }
  } catch {
    return null
  }
}
