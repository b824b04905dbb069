import type { ClientKind } from './model-client'

// What a hawkBit client installs, as far as its first and last bytes show: nothing is unpacked, and no signature is checked.

/**
 * The kind of client that installs it; `version` if the format states it. `isUnsigned`: where the format has its signature, there is
 * another file.
 */
export type Bundle = { kind: Extract<ClientKind, 'swupdate' | 'rauc' | 'zephyr'>; version: string | null; isUnsigned: boolean }

/** So many bytes from the start of a file are enough to read it. */
export const bundleHeadBytes = 131_072
const lengthBytes = 8
/** So many from the end: what RAUC reads of a signature by default, and the length after it. */
export const bundleTailBytes = 65_536 + lengthBytes

type Bytes = Uint8Array
const text = (bytes: Bytes) => new TextDecoder('latin1').decode(bytes)
const view = (bytes: Bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

type Entry = { name: string; data: Bytes; size: number; next: number }

const headerBytes = 110
const aligned = (offset: number) => Math.ceil(offset / 4) * 4

/** One entry of a cpio archive in the formats newc and crc; undefined where there is none. `data` may be cut. */
export const readCpioEntry = (archive: Bytes, at: number): Entry | undefined => {
  const header = text(archive.subarray(at, at + headerBytes))
  if (!/^07070[12][\da-f]{104}$/i.test(header)) return undefined
  const field = (n: number) => Number.parseInt(header.slice(6 + 8 * n, 14 + 8 * n), 16)
  const [size, nameSize] = [field(6), field(11)]
  if (nameSize < 2 || nameSize > 4096) return undefined
  const nameAt = at + headerBytes
  const dataAt = aligned(nameAt + nameSize)
  if (dataAt > archive.length) return undefined
  const name = text(archive.subarray(nameAt, nameAt + nameSize - 1))
  return { name, data: archive.subarray(dataAt, dataAt + size), size, next: aligned(dataAt + size) }
}

/** A longer description is not read: its version stays unknown. */
export const maxDescriptionBytes = 32_768

/** A word, a sign, or the text of a string in quotes. */
type Token = { text: string; isQuoted: boolean }

const isWordCharacter = (character: string) => /[\w-]/.test(character)

/** The index after what begins at `at` and ends with `end`; that of the whole text if it has no end. */
const indexAfter = (description: string, end: string, at: number) => {
  const found = description.indexOf(end, at)
  return found < 0 ? description.length : found + end.length
}

/** The words, signs and strings of a description without its comments, in one pass. */
const tokensOf = (description: string): Token[] => {
  const tokens: Token[] = []
  for (let at = 0; at < description.length;) {
    const start = at
    const character = description.charAt(at)
    if (character === '"') {
      for (at++; at < description.length && description[at] !== '"'; at++) if (description[at] === '\\') at++
      tokens.push({ text: description.slice(start + 1, at), isQuoted: true })
      at++
    } else if (description.startsWith('/*', at)) at = indexAfter(description, '*/', at + 2)
    else if (character === '#' || description.startsWith('//', at)) at = indexAfter(description, '\n', at)
    else if (isWordCharacter(character)) {
      while (at < description.length && isWordCharacter(description.charAt(at))) at++
      tokens.push({ text: description.slice(start, at), isQuoted: false })
    } else {
      if ('{}()[]=:;,'.includes(character)) tokens.push({ text: character, isQuoted: false })
      at++
    }
  }
  return tokens
}

/** The version of a sw-description, in the syntax of libconfig or JSON: not that of one of its images. */
export const readSoftwareVersion = (description: string): string | null => {
  const tokens = tokensOf(description)
  const isSign = (at: number, signs: string) => {
    const token = tokens[at]
    return token !== undefined && !token.isQuoted && signs.includes(token.text)
  }
  const isAssigned = (at: number) => isSign(at + 1, '=:')
  const start = tokens.findIndex(({ text: word }, at) => word === 'software' && isAssigned(at) && isSign(at + 2, '{'))
  if (start < 0) return null
  let depth = 0
  for (let at = start + 2; at < tokens.length; at++) {
    if (isSign(at, '{([')) depth++
    if (isSign(at, '})]') && --depth === 0) return null
    if (depth === 1 && tokens[at]?.text === 'version' && isAssigned(at))
      return tokens[at + 2]?.isQuoted ? (tokens[at + 2]?.text ?? null) : null
  }
  return null
}

const readSwupdate = (head: Bytes): Bundle | undefined => {
  const first = readCpioEntry(head, 0)
  if (first?.name !== 'sw-description' || first.size === 0 || first.data.length < first.size) return undefined
  const second = readCpioEntry(head, first.next)
  return {
    kind: 'swupdate',
    version: first.size > maxDescriptionBytes ? null : readSoftwareVersion(new TextDecoder().decode(first.data)),
    isUnsigned: second !== undefined && second.name !== 'sw-description.sig',
  }
}

/** CMS: RFC 5652, 5.1 (signed) and 6.1 (enveloped), RFC 5083 (enveloped with authentication), as object identifiers in DER. */
const cmsTypes = ['06092a864886f70d010702', '06092a864886f70d010703', '060b2a864886f70d0109100117']

const startsCms = (bytes: Bytes): boolean => {
  const [tag, length = 0] = bytes
  const start = 2 + (length > 0x80 ? length - 0x80 : 0)
  const type = Array.from(bytes.subarray(start, start + 13), (byte) => byte.toString(16).padStart(2, '0')).join('')
  return tag === 0x30 && start <= 6 && cmsTypes.some((known) => type.startsWith(known))
}

/**
 * The last eight bytes are the size of the CMS before them. What is in front is a squashfs in the formats plain and verity, and
 * encrypted in the format crypt, whose CMS may be encrypted for the devices as well.
 */
const readRauc = (tail: Bytes, size: number): Bundle | undefined => {
  if (tail.length < lengthBytes || size <= lengthBytes) return undefined
  const end = tail.length - lengthBytes
  const signature = view(tail).getBigUint64(end)
  if (signature === 0n || signature > BigInt(end) || signature >= BigInt(size - lengthBytes)) return undefined
  const isCms = startsCms(tail.subarray(end - Number(signature), end))
  return isCms ? { kind: 'rauc', version: null, isUnsigned: false } : undefined
}

/** Magic number, load address, two sizes, size of the image, flags, then major, minor, revision and build number. */
const readMcuboot = (head: Bytes): Bundle | undefined => {
  if (head.length < 32) return undefined
  const header = view(head)
  if (header.getUint32(0, true) !== 0x96_f3_b8_3d) return undefined
  const build = header.getUint32(24, true)
  const version = `${header.getUint8(20)}.${header.getUint8(21)}.${header.getUint16(22, true)}`
  // Its signature is behind the image, where the header does not show it.
  return { kind: 'zephyr', version: build === 0 ? version : `${version}+${build}`, isUnsigned: false }
}

/** `head` and `tail`: the first and the last bytes of a file of `size` bytes. Undefined for another format. */
export const readBundle = (head: Bytes, tail: Bytes, size: number): Bundle | undefined =>
  readSwupdate(head) ?? readRauc(tail, size) ?? readMcuboot(head)

const bundleNames: Record<Bundle['kind'], string> = {
  swupdate: 'an SWUpdate image (.swu)',
  rauc: 'a RAUC bundle (.raucb)',
  zephyr: 'an MCUboot image',
}

type Model = { id: string; kind: ClientKind }

/** Why a bundle does not fit a model; null if it does. A client of an unknown kind may take any format. */
export const describeMisfit = ({ id, kind }: Model, bundle: Bundle | undefined): string | null => {
  if (kind === 'other') return null
  if (kind !== 'swupdate' && kind !== 'rauc' && kind !== 'zephyr') return `${id} runs the Teasel agent, which installs no bundles`
  return bundle?.kind === kind
    ? null
    : `${id} needs ${bundleNames[kind]}, and the file is ${bundle ? bundleNames[bundle.kind] : 'of another format'}`
}

/** What people should know of a bundle that nonetheless may be released. */
export const listWarnings = (fileName: string, bundle: Bundle | undefined): string[] =>
  bundle?.isUnsigned
    ? [`${fileName} has no sw-description.sig after its sw-description: an SWUpdate that verifies signatures refuses it`]
    : []
