import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { writeAtomically } from '../core/files'

const say = (text: string) => void process.stderr.write(`${text}\n`)

/** An Ed25519 key of PEM text; null for anything else. */
export const ed25519 = (read: () => KeyObject): KeyObject | null => {
  try {
    const key = read()
    return key.asymmetricKeyType === 'ed25519' ? key : null
  } catch {
    return null
  }
}

/**
 * `teasel-agent sign --file`: writes 64 bytes next to the file. A file that looks like the signed bytes of an envelope is
 * refused.
 */
export const signFile = (keyPath: string, filePath: string, outPath: string): number => {
  const pem = readFileSync(keyPath, 'utf8')
  const key = ed25519(() => createPrivateKey(pem))
  if (!key) {
    say(`${keyPath} is not an Ed25519 private key in PEM (PKCS#8)`)
    return 1
  }
  const bytes = readFileSync(filePath)
  if (bytes.subarray(0, 7).toString('latin1') === 'DSSEv1 ') {
    say(`${filePath} contains an envelope; sign its manifest instead`)
    return 1
  }
  writeAtomically(outPath, sign(null, bytes, key), 0o644)
  process.stdout.write(createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64'))
  return 0
}
