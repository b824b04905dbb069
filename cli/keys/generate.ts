import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateSigningKey } from '../../contract/device/private-key'
import { type KeyAlgorithm, pemOf } from '../../contract/device/public-key'
import { done, failed, type KeyAnswer } from './answer'

/** A key pair whose private key only its owner can read. Never overwrites an existing one. */
export const generateKeys = async (directory: string, name: string, algorithm: KeyAlgorithm): Promise<KeyAnswer> => {
  const privatePath = join(directory, `${name}.key.pem`)
  const publicPath = join(directory, `${name}.pub.pem`)
  for (const path of [privatePath, publicPath]) if (existsSync(path)) return failed(`${path} already exists; choose another name`)
  const { privateKeyPem, publicKey } = await generateSigningKey(algorithm)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  writeFileSync(privatePath, privateKeyPem, { mode: 0o600, flag: 'wx' })
  writeFileSync(publicPath, pemOf(publicKey), { mode: 0o644, flag: 'wx' })
  return done(
    { private_key_path: privatePath, public_key_path: publicPath, public_key: publicKey },
    `private key: ${privatePath}\npublic key: ${publicPath}\nfingerprint: ${publicKey.fingerprint}\ndevice.json: ${JSON.stringify(publicKey)}\n`,
  )
}
