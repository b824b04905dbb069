import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** `dvs` and `ens`: short forms of `dvc` and `enr` for clients with little room. */
export type TokenKind = 'ses' | 'pat' | 'enr' | 'dvc' | 'dvs' | 'ens'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET = 43
/** 131 random bits: 32 characters in all. */
const SHORT = 22
const CHECK = 6
const form = /^(?:(?:ses|pat|enr|dvc)_[0-9A-Za-z]{49}|(?:dvs|ens)_[0-9A-Za-z]{28})$/

const base62 = (value: bigint, length: number): string => {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) text = alphabet.charAt(Number(rest % 62n)) + text
  return text
}

const checkOf = (text: string) => base62(BigInt(crc32(text)), CHECK)

/**
 * `ses_` + 43 base 62 characters of 256 random bits (short forms: 22 of 131) + 6 of CRC-32; secret scanners recognize the shape.
 */
export const createToken = (kind: TokenKind): string => {
  const length = kind === 'dvs' || kind === 'ens' ? SHORT : SECRET
  const text = `${kind}_${base62(BigInt(`0x${randomBytes(32).toString('hex')}`), length)}`
  return text + checkOf(text)
}

/** Whether a text has the shape of any token, also of one with a typing error. */
export const hasTokenForm = (text: string): boolean => form.test(text)

/** Whether a text has the shape of this kind of token: a typing error costs no query. */
export const isToken = (kind: TokenKind, text: string): boolean =>
  hasTokenForm(text) && text.startsWith(`${kind}_`) && checkOf(text.slice(0, -CHECK)) === text.slice(-CHECK)

/** SHA-256 in hex: only this is stored of a secret of 256 bits. */
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex')

/** The hash of a token of another server, which may be short: it counts only with the id of its controller. */
export const hashOfImported = (controllerId: string, secret: string): string => hashOf(`ddi\n${controllerId}\n${secret}`)

/** The part of a token that is displayed. */
export const prefixOf = (token: string): string => token.slice(0, 8)

/** A secret for links and codes: 256 bits, url-safe. */
export const createSecret = (): string => randomBytes(32).toString('base64url')
