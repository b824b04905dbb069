import { readFileSync } from 'node:fs'
import { openEnvelope } from '../../contract/device/manifest'
import { publicKeyFromPem } from '../../contract/device/public-key'
import { done, failed, type KeyAnswer, refused } from './answer'
import { readInput } from './sign'

const readEnvelope = (path: string): unknown => {
  try {
    return JSON.parse(readInput(path).toString('utf8'))
  } catch {
    return null
  }
}

/** Who signed an envelope, and its content. */
export const verifyEnvelope = async (path: string, publicKeyPath: string): Promise<KeyAnswer> => {
  const key = await publicKeyFromPem(readFileSync(publicKeyPath, 'utf8'))
  if (!key) return failed(`${publicKeyPath} is not an Ed25519 or P-256 public key in PEM`)
  const opened = await openEnvelope(readEnvelope(path), [key])
  if (!opened.ok) return refused(`${opened.message} (${opened.code})`, { code: opened.code })
  const { manifest } = opened
  const { fingerprint } = opened.key
  return done({ fingerprint, manifest }, `${JSON.stringify(manifest, null, 2)}\n`, [`signed by ${fingerprint}`])
}
