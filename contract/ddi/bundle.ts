import type { ClientKind } from '../hardware-models'

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

const withoutComments = (description: string) =>
  description.replace(/"(?:[^"\\]|\\.)*"|\/\*[\s\S]*?\*\/|(?:\/\/|#).*/g, (found) => (found.startsWith('"') ? found : ' '))

/** The version of a sw-description, in the syntax of libconfig or JSON: not that of one of its images. */
export const readSoftwareVersion = (description: string): string | null => {
  const words = withoutComments(description).match(/"(?:[^"\\]|\\.)*"|[\w-]+|[{}()[\]=:;,]/g) ?? []
  const bare = words.map((word) => word.replace(/^"(.*)"$/, '$1'))
  const isAssigned = (at: number) => words[at + 1] === '=' || words[at + 1] === ':'
  const start = bare.findIndex((word, at) => word === 'software' && isAssigned(at) && words[at + 2] === '{')
  if (start < 0) return null
  let depth = 0
  for (let at = start + 2; at < words.length; at++) {
    const word = words[at] ?? ''
    if ('{(['.includes(word)) depth++
    if ('})]'.includes(word) && --depth === 0) return null
    if (depth === 1 && bare[at] === 'version' && isAssigned(at))
      return words[at + 2]?.startsWith('"') ? (bare[at + 2] ?? null) : null
  }
  return null
}

const readSwupdate = (head: Bytes): Bundle | undefined => {
  const first = readCpioEntry(head, 0)
  if (first?.name !== 'sw-description' || first.size === 0 || first.data.length < first.size) return undefined
  const second = readCpioEntry(head, first.next)
  return {
    kind: 'swupdate',
    version: readSoftwareVersion(new TextDecoder().decode(first.data)),
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
