import { FormatError } from './reader'

/** An element of DER (ITU-T X.690) inside `bytes`; `start` to `end` is its content, `at` its tag. */
export type Der = { tag: number; at: number; start: number; end: number; bytes: Buffer; base: number }

const maxElements = 4096

/** Tags by class, form and number. */
export const tags = { integer: 0x02, bitString: 0x03, octetString: 0x04, oid: 0x06, sequence: 0x30, set: 0x31 } as const

const wrong = (der: { base: number }, at: number, message: string) => new FormatError('der', message, der.base + at)

/** The element at `at`; `base` is where `bytes` start in the file. Only definite lengths of up to four bytes. */
export const readDer = (bytes: Buffer, at = 0, limit = bytes.length, base = 0): Der => {
  if (at + 2 > limit) throw wrong({ base }, at, 'A DER element is cut off')
  const tag = bytes.readUInt8(at)
  if ((tag & 0x1f) === 0x1f) throw wrong({ base }, at, 'A DER tag has more than one byte')
  const first = bytes.readUInt8(at + 1)
  const count = first < 0x80 ? 0 : first & 0x7f
  if (first === 0x80 || count > 4 || at + 2 + count > limit) throw wrong({ base }, at, 'A DER length has no valid form')
  const start = at + 2 + count
  const end = start + (count === 0 ? first : bytes.readUIntBE(at + 2, count))
  if (end > limit) throw wrong({ base }, at, `A DER element ends at byte ${end} of ${limit}`)
  return { tag, at, start, end, bytes, base }
}

/** More than 4096 are an error. */
export const children = (der: Der): Der[] => {
  const found: Der[] = []
  for (let at = der.start; at < der.end;) {
    const child = readDer(der.bytes, at, der.end, der.base)
    found.push(child)
    if (found.length > maxElements) throw wrong(der, der.at, `A DER element has more than ${maxElements} children`)
    at = child.end
  }
  return found
}

export const content = (der: Der): Buffer => der.bytes.subarray(der.start, der.end)
export const whole = (der: Der): Buffer => der.bytes.subarray(der.at, der.end)

export const expectTag = (der: Der | undefined, tag: number, what: string): Der => {
  if (der?.tag === tag) return der
  throw new FormatError('der', `${what} is not there`, der ? der.base + der.at : 0)
}

/** Dotted decimal. */
export const oidOf = (der: Der): string => {
  const parts: number[] = []
  let value = 0
  for (const byte of content(der).subarray(0, 64)) {
    value = value * 128 + (byte & 0x7f)
    if (byte & 0x80) continue
    if (parts.length === 0) parts.push(Math.min(2, Math.floor(value / 40)), value - 40 * Math.min(2, Math.floor(value / 40)))
    else parts.push(value)
    value = 0
  }
  return parts.join('.')
}

/** An integer that is not negative and fits in 53 bits; null for others. */
export const numberOf = (der: Der): number | null => {
  const bytes = content(der)
  if (der.tag !== tags.integer || bytes.length === 0 || bytes.length > 7 || (bytes[0] ?? 0) >= 0x80) return null
  const value = bytes.length > 6 ? Number(BigInt(`0x${bytes.toString('hex')}`)) : bytes.readUIntBE(0, bytes.length)
  return Number.isSafeInteger(value) ? value : null
}
