import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { generateSigningKey } from '../../contract/device/private-key'
import { type KeyAlgorithm, pemOf } from '../../contract/device/public-key'
import { makeDirectory, writeAtomically } from '../core/files'

/** `teasel-agent keygen`: a key pair whose private key only its owner can read. Never overwrites an existing one. */
export const keygen = async (directory: string, name: string, algorithm: KeyAlgorithm): Promise<number> => {
  const privatePath = join(directory, `${name}.key.pem`)
  const publicPath = join(directory, `${name}.pub.pem`)
  for (const path of [privatePath, publicPath])
    if (existsSync(path)) {
      process.stderr.write(`${path} already exists; choose another name\n`)
      return 1
    }
  const { privateKeyPem, publicKey } = await generateSigningKey(algorithm)
  makeDirectory(directory)
  writeAtomically(privatePath, privateKeyPem, 0o600)
  writeAtomically(publicPath, pemOf(publicKey), 0o644)
  process.stdout.write(`private key: ${privatePath}\npublic key: ${publicPath}\nfingerprint: ${publicKey.fingerprint}\n`)
  process.stdout.write(`device.json: ${JSON.stringify(publicKey)}\n`)
  return 0
}
