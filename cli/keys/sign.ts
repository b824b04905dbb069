import { readFileSync, writeFileSync } from 'node:fs'
import { is } from 'superstruct'
import { toBase64 } from '../../contract/device/bytes'
import { sign } from '../../contract/device/dsse'
import { keyListPayloadType, readKeyList } from '../../contract/device/key-list'
import { createEnvelope, Manifest, manifestBytes, payloadType, readManifest } from '../../contract/device/manifest'
import { signingKeyFromPem } from '../../contract/device/private-key'
import { done, failed, type KeyAnswer } from './answer'

/** The path `-` is the standard input. */
export const readInput = (path: string): Buffer<ArrayBuffer> => readFileSync(path === '-' ? 0 : path)
const nameOf = (path: string) => (path === '-' ? 'The input' : path)

const readKey = (path: string) => signingKeyFromPem(readFileSync(path, 'utf8'))
const noKey = (path: string) => failed(`${path} is not an Ed25519 or P-256 private key in PEM (PKCS#8)`)

const write = (text: string, path: string | undefined): string => {
  if (path === undefined) return text
  writeFileSync(path, text, { mode: 0o644 })
  return ''
}

/** The bytes to sign for manifest JSON in any formatting; null if it is not a manifest. */
const canonicalBytes = (source: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | null => {
  const read = readManifest(source)
  if ('manifest' in read) return source
  try {
    const value: unknown = JSON.parse(Buffer.from(source).toString('utf8'))
    return is(value, Manifest) ? manifestBytes(value) : null
  } catch {
    return null
  }
}

type Asked = { key: string; out?: string | undefined }

/** The signature of a manifest in base 64, or with `envelope` the whole DSSE envelope. */
export const signManifest = async (path: string, { key: keyPath, out }: Asked, envelope: boolean): Promise<KeyAnswer> => {
  const key = await readKey(keyPath)
  if (!key) return noKey(keyPath)
  const payload = canonicalBytes(new Uint8Array(readInput(path)))
  if (!payload) return failed(`${nameOf(path)} is not a manifest`)
  const made = await sign(key, payloadType, payload)
  const signature = toBase64(made.signature)
  const text = envelope ? `${JSON.stringify(createEnvelope(payload, [made]))}\n` : `${signature}\n`
  const { fingerprint } = key.publicKey
  return done({ signature_base64: signature, fingerprint }, write(text, out), [`signed by ${fingerprint}`])
}

/** The signature of a key list, which is not accepted as a manifest; names the keys that devices will trust by it. */
export const signKeyList = async (path: string, { key: keyPath, out }: Asked): Promise<KeyAnswer> => {
  const key = await readKey(keyPath)
  if (!key) return noKey(keyPath)
  const payload = new Uint8Array(readInput(path))
  const list = await readKeyList(payload)
  if (!list) return failed(`${nameOf(path)} is not a key list`)
  const signature = toBase64((await sign(key, keyListPayloadType, payload)).signature)
  const { fingerprint } = key.publicKey
  return done({ signature_base64: signature, fingerprint, key_list: list }, write(`${signature}\n`, out), [
    `key list ${list.counter} of project ${list.project_id}`,
    ...list.keys.map((one) => `trusted: ${one.fingerprint}`),
    ...list.revoked.map((one) => `revoked: ${one.fingerprint}`),
    `signed by ${fingerprint}`,
  ])
}
