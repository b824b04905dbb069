import { createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ed25519 } from './sign-file'

const say = (text: string) => void process.stderr.write(`${text}\n`)

/** `teasel-agent verify --file`: whether the key signed exactly these bytes. */
export const verifyFile = (keyPath: string, filePath: string, signaturePath: string): number => {
  const pem = readFileSync(keyPath, 'utf8')
  const key = ed25519(() => createPublicKey(pem))
  if (!key) {
    say(`${keyPath} is not an Ed25519 public key in PEM`)
    return 1
  }
  const holds = verify(null, readFileSync(filePath), key, readFileSync(signaturePath))
  say(holds ? `${filePath}: signed by this key` : `refused: ${filePath} was not signed by this key, or has been changed`)
  return holds ? 0 : 3
}
