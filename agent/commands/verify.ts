import { readFileSync } from 'node:fs'
import { openEnvelope } from '../../contract/device/manifest'
import { publicKeyFromPem } from '../../contract/device/public-key'

const say = (text: string) => void process.stderr.write(`${text}\n`)

/** `teasel-agent verify`: who signed an envelope, and its content. */
export const verify = async (keyPath: string, envelopePath: string): Promise<number> => {
  const key = await publicKeyFromPem(readFileSync(keyPath, 'utf8'))
  if (!key) {
    say(`${keyPath} is not an Ed25519 or P-256 public key in PEM`)
    return 1
  }
  let envelope: unknown
  try {
    envelope = JSON.parse(readFileSync(envelopePath === '-' ? 0 : envelopePath, 'utf8'))
  } catch {
    envelope = null
  }
  const opened = await openEnvelope(envelope, [key])
  if (!opened.ok) {
    say(`refused: ${opened.message} (${opened.code})`)
    return 3
  }
  process.stdout.write(`${JSON.stringify(opened.manifest, null, 2)}\n`)
  say(`signed by ${opened.key.fingerprint}`)
  return 0
}
