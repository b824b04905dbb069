import { type ByteReader, maxReadBytes } from '../types'
import { tags } from './der'

export type FoundPrivateKey = { form: string; offset: number; length: number }

/** Windows overlap by more than the longest form that is recognised at once. */
const overlapBytes = 16_384

const bytes = (text: string) => Buffer.from(text, 'hex')

type Element = { tag: number; at: number; start: number; end: number }

/** Like `readDer`, without an error: most places only look like a start, and a file can be made of them. */
const tryDer = (window: Buffer, at: number, limit = window.length): Element | undefined => {
  const [tag, first] = [window[at], window[at + 1]]
  if (at + 2 > limit || tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) return undefined
  const count = first < 0x80 ? 0 : first - 0x80
  const start = at + 2 + count
  if (first === 0x80 || count > 4 || start > limit) return undefined
  const end = start + (count === 0 ? first : window.readUIntBE(at + 2, count))
  return end <= limit ? { tag, at, start, end } : undefined
}
/** A PKCS#1 key has nine. */
const maxChildren = 9
/** The first children of a sequence; none where one is damaged. */
const tryChildren = (window: Buffer, der: Element | undefined): Element[] => {
  const found: Element[] = []
  if (der?.tag !== tags.sequence) return found
  for (let at = der.start; at < der.end && found.length < maxChildren;) {
    const child = tryDer(window, at, der.end)
    if (!child) return []
    found.push(child)
    at = child.end
  }
  return found
}

type Is = (list: readonly Element[], window: Buffer) => boolean
const isList = (list: readonly Element[], ...expected: number[]) =>
  list.length >= expected.length && expected.every((tag, n) => list[n]?.tag === tag)
const startsWithOid = (window: Buffer, der: Element | undefined) => tryChildren(window, der)[0]?.tag === tags.oid

const pkcs8: Is = (list, window) => isList(list, tags.integer, tags.sequence, tags.octetString) && startsWithOid(window, list[1])
const pkcs1: Is = (list) => list.length >= 9 && list.every(({ tag }) => tag === tags.integer)
const sec1: Is = (list) => isList(list, tags.integer, tags.octetString, 0xa0)
const pkcs12: Is = (list, window) => isList(list, tags.integer, tags.sequence) && startsWithOid(window, list[1])
const encrypted: Is = (list, window) => isList(list, tags.sequence, tags.octetString) && startsWithOid(window, list[0])

/**
 * DER forms by bytes near their start: `back` lists how far before them the outer sequence may start. RFC 5958 (PKCS#8), RFC 8017
 * A.1.2 (PKCS#1), RFC 5915 (SEC 1), RFC 7292 (PKCS#12), RFC 8018 (PBES2).
 */
const derForms: { form: string; needle: Buffer; back: number[]; is: Is }[] = [
  ...['00', '01'].flatMap((version) => [
    { form: 'a PKCS#8 RSA private key', needle: bytes(`0201${version}300d06092a864886f70d010101`), back: [2, 3, 4], is: pkcs8 },
    { form: 'a PKCS#8 RSA-PSS private key', needle: bytes(`06092a864886f70d01010a`), back: [7, 8, 9], is: pkcs8 },
    ...['10', '13', '14', '09'].map((length) => ({
      form: 'a PKCS#8 elliptic curve private key',
      needle: bytes(`0201${version}30${length}06`),
      back: [2, 3, 4],
      is: pkcs8,
    })),
    { form: 'a PKCS#8 Ed25519 or X25519 private key', needle: bytes(`0201${version}300506032b65`), back: [2], is: pkcs8 },
  ]),
  ...['02818100', '02820101', '02820181', '02820201', '02820401'].map((modulus) => ({
    form: 'a PKCS#1 RSA private key',
    needle: bytes(`020100${modulus}`),
    back: [3, 4],
    is: pkcs1,
  })),
  ...['0418', '0420', '0430', '0442'].map((length) => ({
    form: 'a SEC 1 private key',
    needle: bytes(`020101${length}`),
    back: [2, 3],
    is: sec1,
  })),
  { form: 'a PKCS#12 file', needle: bytes('020103'), back: [2, 3, 4], is: pkcs12 },
  { form: 'an encrypted PKCS#8 private key', needle: bytes('06092a864886f70d01050d'), back: [4, 5, 6, 7], is: encrypted },
]

/** Each place is looked at in a bounded number of steps, so that no number of false starts needs a limit. */
const findDer = (window: Buffer): FoundPrivateKey | undefined => {
  for (const { form, needle, back, is } of derForms)
    for (let at = window.indexOf(needle); at >= 0; at = window.indexOf(needle, at + 1))
      for (const distance of back) {
        if (at < distance || window[at - distance] !== tags.sequence) continue
        const der = tryDer(window, at - distance)
        if (der && is(tryChildren(window, der), window)) return { form, offset: der.at, length: der.end - der.at }
      }
  return undefined
}

/** A label, or the end of a line, which may be escaped. */
const pemMarks = /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----|\\[nr]|[\r\n]/g
/** So far behind its label key material may start. */
const maxHeaderBytes = 2048

/**
 * A label alone is in every program that reads keys: base 64 has to follow it, perhaps after headers (RFC 1421, RFC 4880). One pass:
 * only the last label counts, since what follows an earlier one up to it is no key material.
 */
const findPem = (text: string): FoundPrivateKey | undefined => {
  let label: { at: number; end: number } | undefined
  let from = 0
  const isKeyMaterial = (to: number) => {
    if (!label) return false
    const line = text.slice(from, to).trimStart()
    if (/^[A-Za-z0-9+/=]{24}/.test(line)) return true
    const isOver = to - label.end > maxHeaderBytes || (line !== '' && !/^[A-Za-z-]{2,30}: /.test(line))
    if (isOver) label = undefined
    return false
  }
  const found = () => label && { form: 'a PEM private key', offset: label.at, length: label.end - label.at }
  for (const mark of text.matchAll(pemMarks)) {
    if (isKeyMaterial(mark.index)) return found()
    from = mark.index + mark[0].length
    if (mark[0].length > 2) label = { at: mark.index, end: from }
  }
  return isKeyMaterial(text.length) ? found() : undefined
}

const textForms: [form: string, pattern: RegExp][] = [
  ['an OpenSSH private key', /openssh-key-v1\0[\0-\x20]{3}/],
  ['a PuTTY private key', /PuTTY-User-Key-File-[123]: /],
  ['an age secret key', /AGE-SECRET-KEY-1[A-Z0-9]{50}/],
  ['a minisign or signify secret key', /untrusted comment: [^\n]{0,80}secret key/],
  ['a JSON Web Key with its private part', /"d"\s{0,8}:\s{0,8}"[A-Za-z0-9_-]{22,1400}"/],
]
const textMarks = ['PRIVATE KEY', 'openssh-key-v1', 'PuTTY-User-Key-File', 'AGE-SECRET-KEY', 'secret key', '"kty"'].map((it) =>
  Buffer.from(it),
)

const findText = (window: Buffer): FoundPrivateKey | undefined => {
  if (!textMarks.some((mark) => window.includes(mark))) return undefined
  const text = window.toString('latin1')
  const pem = findPem(text)
  if (pem) return pem
  for (const [form, pattern] of textForms) {
    const found = pattern.exec(text)
    if (found && (form !== 'a JSON Web Key with its private part' || /"kty"\s{0,8}:\s{0,8}"(?:RSA|EC|OKP)"/.test(text)))
      return { form, offset: found.index, length: found[0].length }
  }
  return undefined
}

/** The first private key anywhere in the file, in text or DER. Compressed and encrypted data is not looked into. */
export const findPrivateKey = async (file: ByteReader): Promise<FoundPrivateKey | undefined> => {
  for (let offset = 0; offset < file.size; offset += maxReadBytes - overlapBytes) {
    const window = await file.read(offset, Math.min(maxReadBytes, file.size - offset))
    const found = findText(window) ?? findDer(window)
    if (found) return { ...found, offset: offset + found.offset }
    if (offset + window.length >= file.size) return undefined
  }
  return undefined
}

/** File names that programs give to private keys. */
export const isPrivateKeyName = (path: string): boolean => {
  const name = path.split(/[/\\]/).at(-1) ?? ''
  return (
    /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/i.test(name) ||
    /\.(?:p12|pfx|ppk|pk8|jks|keystore)$/i.test(name) ||
    (/\.(?:pem|der|key|bin)$/i.test(name) && /(?:^|[-_.])(?:priv|private|privkey|secret)[-_.]/i.test(name)) ||
    /\.key$/i.test(name)
  )
}
