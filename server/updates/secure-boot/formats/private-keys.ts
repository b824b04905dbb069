import { type ByteReader, maxReadBytes } from '../types'
import { children, type Der, readDer, tags } from './der'

export type FoundPrivateKey = { form: string; offset: number; length: number }

/** Windows overlap by more than the longest form that is recognised at once. */
const overlapBytes = 16_384

const bytes = (text: string) => Buffer.from(text, 'hex')

const tryDer = (window: Buffer, at: number): Der | undefined => {
  try {
    return readDer(window, at)
  } catch {
    return undefined
  }
}
/** A PKCS#1 key has nine. */
const maxChildren = 9
const tryChildren = (der: Der | undefined): Der[] => {
  try {
    return der?.tag === tags.sequence ? children(der, maxChildren) : []
  } catch {
    return []
  }
}

const tagsOf = (list: readonly Der[]) => list.map(({ tag }) => tag)
const isList = (list: readonly Der[], ...expected: number[]) =>
  list.length >= expected.length && expected.every((tag, n) => tagsOf(list)[n] === tag)

const pkcs8 = (list: Der[]) =>
  isList(list, tags.integer, tags.sequence, tags.octetString) && tryChildren(list[1])[0]?.tag === tags.oid
const pkcs1 = (list: Der[]) => list.length >= 9 && list.slice(0, 9).every(({ tag }) => tag === tags.integer)
const sec1 = (list: Der[]) => isList(list, tags.integer, tags.octetString, 0xa0)
const pkcs12 = (list: Der[]) => isList(list, tags.integer, tags.sequence) && tryChildren(list[1])[0]?.tag === tags.oid
const encrypted = (list: Der[]) => isList(list, tags.sequence, tags.octetString) && tryChildren(list[0])[0]?.tag === tags.oid

/**
 * DER forms by bytes near their start: `back` lists how far before them the outer sequence may start. RFC 5958 (PKCS#8), RFC 8017
 * A.1.2 (PKCS#1), RFC 5915 (SEC 1), RFC 7292 (PKCS#12), RFC 8018 (PBES2).
 */
const derForms: { form: string; needle: Buffer; back: number[]; is: (list: Der[]) => boolean }[] = [
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

/** In one window, of one form: a file can be made of false starts. */
const maxTries = 512

const findDer = (window: Buffer): FoundPrivateKey | undefined => {
  for (const { form, needle, back, is } of derForms) {
    let tries = 0
    for (let at = window.indexOf(needle); at >= 0 && tries < maxTries; at = window.indexOf(needle, at + 1), tries++)
      for (const distance of back) {
        const der = at >= distance && window[at - distance] === tags.sequence ? tryDer(window, at - distance) : undefined
        if (der && is(tryChildren(der))) return { form, offset: der.at, length: der.end - der.at }
      }
  }
  return undefined
}

const pemLabel = /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g

/** A label alone is in every program that reads keys: base 64 has to follow it, perhaps after headers (RFC 1421, RFC 4880). */
const hasKeyMaterial = (text: string, at: number) => {
  const lines = text
    .slice(at, at + 2048)
    .replaceAll(/\\[nr]/g, '\n')
    .split(/[\r\n]/)
  const first = lines.map((line) => line.trim()).find((line) => line !== '' && !/^[A-Za-z-]{2,30}: /.test(line))
  return first !== undefined && /^[A-Za-z0-9+/=]{24}/.test(first)
}

const findPem = (text: string): FoundPrivateKey | undefined => {
  for (const label of text.matchAll(pemLabel)) {
    const end = label.index + label[0].length
    if (hasKeyMaterial(text, end)) return { form: 'a PEM private key', offset: label.index, length: label[0].length }
  }
  return undefined
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
    /(?:^|[-_.])(?:priv|private|privkey|secret)(?:[-_.][\w-]*)*\.(?:pem|der|key|bin)$/i.test(name) ||
    /\.key$/i.test(name)
  )
}
