import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

export type TokenKind = 'ses' | 'pat' | 'enr' | 'dvc'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET = 43
const CHECK = 6
const form = /^(ses|pat|enr|dvc)_[0-9A-Za-z]{49}$/

const base62 = (value: bigint, length: number): string => {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) text = alphabet.charAt(Number(rest % 62n)) + text
  return text
}

const checkOf = (text: string) => base62(BigInt(crc32(text)), CHECK)

/** `ses_` + 43 base 62 characters of 256 random bits + 6 of CRC-32; secret scanners recognize the shape. */
export const createToken = (kind: TokenKind): string => {
  const text = `${kind}_${base62(BigInt(`0x${randomBytes(32).toString('hex')}`), SECRET)}`
  return text + checkOf(text)
}

/** Whether a text has the shape of this kind of token: a typing error costs no query. */
export const isToken = (kind: TokenKind, text: string): boolean =>
  form.test(text) && text.startsWith(`${kind}_`) && checkOf(text.slice(0, -CHECK)) === text.slice(-CHECK)

/** SHA-256 in hex: only this is stored of a secret of 256 bits. */
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex')

/** The part of a token that is displayed. */
export const prefixOf = (token: string): string => token.slice(0, 8)

/** A secret for links and codes: 256 bits, url-safe. */
export const createSecret = (): string => randomBytes(32).toString('base64url')
