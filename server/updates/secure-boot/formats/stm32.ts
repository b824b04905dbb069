import { createHash, type KeyObject } from 'node:crypto'
import { ecKey } from './public-keys'
import { type ByteRange, FormatError, hex, type Reader } from './reader'

// STMicroelectronics: TF-A tools/stm32image/stm32image.c, plat/st/stm32mp1/include/boot_api.h and
// plat/st/common/stm32mp_trusted_boot.c; wiki.st.com "STM32 header for binary files". Little-endian but for the magic.
const magic = 0x53_54_4d_32
const curves = { 1: 'P-256', 2: 'brainpoolP256r1' } as const
const [authenticationType, maxKeys] = [0x02_00_54_53, 8]

type Stm32Image = {
  version: '1.0' | '2.0'
  imageVersion: number
  loadAddress: number
  entryPoint: number
  checksum: { stored: number; computed: number }
  /** Null if the header says that the image is not signed. */
  signature: {
    value: Buffer
    key: KeyObject | null
    algorithm: string
    covered: ByteRange
    /** The value for the fuses, as the header gives it. */
    keyHash: Buffer
    /** Of version 2: the hash of the used key in the table, and that of the key. */
    entry: { stored: Buffer; computed: Buffer } | null
  } | null
}

const sha256 = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest()

const readKey = (algorithm: number, point: Buffer, offset: number) => {
  const curve = algorithm === 1 || algorithm === 2 ? curves[algorithm] : undefined
  if (!curve) throw new FormatError('algorithm', `The ECDSA algorithm is ${algorithm}, expected 1 or 2`, offset, 4)
  return { algorithm: `ecdsa-${curve}`, key: ecKey(curve, point.subarray(0, 32), point.subarray(32, 64)) }
}

/** The authentication extension of version 2, among the extensions after the header of 128 bytes. */
const readExtension = (extensions: Buffer, value: Buffer, covered: ByteRange): NonNullable<Stm32Image['signature']> => {
  for (let at = 0; at + 8 <= extensions.length;) {
    const [type, length] = [extensions.readUInt32LE(at), extensions.readUInt32LE(at + 4)]
    if (length < 8 || at + length > extensions.length)
      throw new FormatError('extension', 'An extension of the header has no valid length', 128 + at + 4, 4)
    if (type !== authenticationType) {
      at += length
      continue
    }
    if (length < 84) throw new FormatError('extension', 'The authentication extension is too short', 128 + at, length)
    const [index, count, algorithm] = [8, 12, 16].map((it) => extensions.readUInt32LE(at + it))
    if (count === undefined || index === undefined || count < 1 || count > maxKeys || index >= count || length < 84 + 32 * count)
      throw new FormatError('extension', `The table has ${count} keys and uses key ${index}`, 128 + at + 8, 8)
    const algorithmBytes = extensions.subarray(at + 16, at + 20)
    const point = extensions.subarray(at + 20, at + 84)
    const table = extensions.subarray(at + 84, at + 84 + 32 * count)
    const entry = { stored: table.subarray(32 * index, 32 * index + 32), computed: sha256(algorithmBytes, point) }
    return { value, covered, ...readKey(algorithm ?? 0, point, 128 + at + 16), keyHash: sha256(table), entry }
  }
  throw new FormatError('extension', 'The header has no authentication extension', 128)
}

export const parseStm32 = async (reader: Reader): Promise<Stm32Image> => {
  const head = await reader.bytes(0, 128, 'The STM32 header')
  const found = head.readUInt32BE(0)
  if (found !== magic)
    throw new FormatError('magic', `The magic number is ${hex(found, 8)}, expected ${hex(magic, 8)} (STM2)`, 0, 4)
  const [minor, major] = [head.readUInt8(73), head.readUInt8(74)]
  if (minor !== 0 || (major !== 1 && major !== 2))
    throw new FormatError(
      'version',
      major === 2 && (minor === 2 || minor === 3)
        ? `Header version ${major}.${minor} (STM32MP2) is not supported yet: nothing in the image was checked`
        : `Header version ${major}.${minor} is not known; 1.0 and 2.0 are`,
      72,
      4,
    )
  const length = head.readUInt32LE(76)
  const extensionsLength = major === 2 ? head.readUInt32LE(104) : 0
  if (extensionsLength > 4096) throw new FormatError('extension', 'The extensions of the header are too long', 104, 4)
  const headerLength = major === 1 ? 256 : 128 + extensionsLength
  if (!reader.has(headerLength, length))
    throw new FormatError(
      'truncated',
      `The header gives ${length} bytes of image, the file has ${reader.size - headerLength}`,
      76,
      4,
    )
  let computed = 0
  for await (const chunk of reader.chunks([{ offset: headerLength, length }], 'The image'))
    for (const byte of chunk) computed = (computed + byte) >>> 0
  const value = head.subarray(4, 68)
  const covered = { offset: 72, length: headerLength - 72 + length }
  const flags = head.readUInt32LE(100)
  const signed = async () => {
    if (major === 2) return readExtension(await reader.bytes(128, extensionsLength, 'The extensions'), value, covered)
    const full = await reader.bytes(0, 256, 'The STM32 header')
    const point = full.subarray(108, 172)
    return { value, covered, ...readKey(full.readUInt32LE(104), point, 104), keyHash: sha256(point), entry: null }
  }
  const isSigned = major === 1 ? (flags & 1) === 0 : (flags & 1) === 1
  return {
    version: major === 1 ? '1.0' : '2.0',
    imageVersion: head.readUInt32LE(96),
    loadAddress: head.readUInt32LE(88),
    entryPoint: head.readUInt32LE(80),
    checksum: { stored: head.readUInt32LE(68), computed },
    signature: isSigned ? await signed() : null,
  }
}
