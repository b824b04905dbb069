import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { done, failed, type KeyAnswer, refused } from './answer'

/** An Ed25519 key of PEM text; null for anything else. */
const ed25519 = (read: () => KeyObject): KeyObject | null => {
  try {
    const key = read()
    return key.asymmetricKeyType === 'ed25519' ? key : null
  } catch {
    return null
  }
}

type Asked = { key: string; out: string }

/** Writes a signature of 64 bytes. A file that looks like the signed bytes of an envelope is refused. */
export const signFile = (path: string, { key: keyPath, out }: Asked): KeyAnswer => {
  const pem = readFileSync(keyPath, 'utf8')
  const key = ed25519(() => createPrivateKey(pem))
  if (!key) return failed(`${keyPath} is not an Ed25519 private key in PEM (PKCS#8)`)
  const bytes = readFileSync(path)
  if (bytes.subarray(0, 7).toString('latin1') === 'DSSEv1 ')
    return failed(`${path} contains an envelope; sign its manifest instead`)
  const signature = sign(null, bytes, key)
  writeFileSync(out, signature, { mode: 0o644 })
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64')
  return done({ signature_base64: signature.toString('base64'), public_key: publicKey }, publicKey)
}

/** Whether the key signed exactly these bytes. */
export const verifyFile = (path: string, { publicKey, signature }: { publicKey: string; signature: string }): KeyAnswer => {
  const pem = readFileSync(publicKey, 'utf8')
  const key = ed25519(() => createPublicKey(pem))
  if (!key) return failed(`${publicKey} is not an Ed25519 public key in PEM`)
  const isSigned = verify(null, readFileSync(path), key, readFileSync(signature))
  if (!isSigned) return refused(`${path} was not signed by this key, or has been changed`)
  return done({ file: path, signed: true }, '', [`${path}: signed by this key`])
}
