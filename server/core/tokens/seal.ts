import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import type { Tx } from '../database/tx'
import type { Deps } from '../deps'
import { secretOf } from './secrets'

const nonceBytes = 12
const tagBytes = 16

const nameOf = (key: Buffer) => createHash('sha256').update(key).digest('hex').slice(0, 8)

/** The configured key first, if there is one; then the database's own key, for values that were encrypted before. */
const keysOf = async (tx: Tx, { config }: Pick<Deps, 'config'>): Promise<readonly [Buffer, ...Buffer[]]> => {
  const own = await secretOf(tx, 'second factors')
  return config.secretKey === undefined ? [own] : [Buffer.from(config.secretKey, 'base64'), own]
}

/** The names, in sealed values, of the keys that are available. */
export const listKeyNames = async (tx: Tx, deps: Pick<Deps, 'config'>): Promise<string[]> =>
  (await keysOf(tx, deps)).map((key) => nameOf(key))

/** Encrypts with AES-256-GCM, bound to its owner: the value cannot be decrypted in another row. */
export const seal = async (tx: Tx, deps: Pick<Deps, 'config'>, owner: string, plain: string): Promise<string> => {
  const [key] = await keysOf(tx, deps)
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner))
  const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return `${nameOf(key)}.${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')}`
}

/** Throws if the key is not available or the row was tampered with. */
export const unseal = async (tx: Tx, deps: Pick<Deps, 'config'>, owner: string, text: string): Promise<string> => {
  const [name, body = ''] = text.split('.')
  const key = (await keysOf(tx, deps)).find((one) => nameOf(one) === name)
  if (!key) throw new Error('A stored secret was sealed with a key that is not configured (TEASEL_SECRET_KEY)')
  const bytes = Buffer.from(body, 'base64url')
  const tag = bytes.subarray(nonceBytes, nonceBytes + tagBytes)
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes)).setAAD(Buffer.from(owner)).setAuthTag(tag)
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]).toString('utf8')
}
