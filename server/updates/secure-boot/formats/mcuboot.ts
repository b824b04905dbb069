import { createHash, type KeyObject } from 'node:crypto'
import { readDer } from './der'
import { type SignatureForm, verifyEd25519, verifyRanges } from './public-keys'
import { type ByteRange, FormatError, hex, type Reader } from './reader'

// MCUboot: boot/bootutil/include/bootutil/image.h and docs/design.md, little-endian.
const magic = 0x96_f3_b8_3d
const headerBytes = 32
const [tlvMagic, protectedTlvMagic] = [0x69_07, 0x69_08]
const hashTypes: Readonly<Record<number, string>> = { 0x10: 'sha256', 0x11: 'sha384', 0x12: 'sha512' }
const signatureTypes: Readonly<Record<number, { name: string; form: SignatureForm | 'ed25519' }>> = {
  0x20: { name: 'rsa-2048', form: 'pss' },
  0x22: { name: 'ecdsa', form: 'ecdsa-der' },
  0x23: { name: 'rsa-3072', form: 'pss' },
  0x24: { name: 'ed25519', form: 'ed25519' },
}
const encryptedFlags = 0x04 | 0x08
const [keyHashType, publicKeyType, pureSignatureType, securityCounterType] = [0x01, 0x02, 0x25, 0x50]

type Tlv = { type: number; offset: number; value: Buffer }
type McubootImage = {
  version: string
  loadAddress: number
  isEncrypted: boolean
  /** What the hash covers: header, body and protected TLVs. */
  hashed: ByteRange
  hash: { algorithm: string; offset: number; value: Buffer } | null
  signatures: { name: string; form: SignatureForm | 'ed25519'; offset: number; value: Buffer; isPure: boolean }[]
  keyHash: { offset: number; value: Buffer } | null
  publicKey: Buffer | null
  securityCounter: number | null
}

const readTlvs = async (reader: Reader, at: number, expected: number, what: string): Promise<{ tlvs: Tlv[]; end: number }> => {
  const info = await reader.bytes(at, 4, what)
  const found = info.readUInt16LE(0)
  if (found !== expected)
    throw new FormatError('tlv_magic', `${what} has the magic ${hex(found, 4)}, expected ${hex(expected, 4)}`, at, 2)
  const end = at + info.readUInt16LE(2)
  if (!reader.has(at, end - at)) throw new FormatError('truncated', `${what} ends at byte ${end} of ${reader.size}`, at + 2, 2)
  const tlvs: Tlv[] = []
  for (let offset = at + 4; offset < end;) {
    if (offset + 4 > end) throw new FormatError('tlv', `${what} has half an entry`, offset, end - offset)
    const head = await reader.bytes(offset, 4, 'A TLV')
    const length = head.readUInt16LE(2)
    if (offset + 4 + length > end) throw new FormatError('tlv', `An entry ends after ${what.toLowerCase()}`, offset, 4)
    tlvs.push({ type: head.readUInt16LE(0), offset: offset + 4, value: await reader.bytes(offset + 4, length, 'A TLV') })
    offset += 4 + length
  }
  return { tlvs, end }
}

export const parseMcuboot = async (reader: Reader): Promise<McubootImage> => {
  const head = await reader.bytes(0, headerBytes, 'The image header')
  const found = head.readUInt32LE(0)
  if (found !== magic) throw new FormatError('magic', `The magic number is ${hex(found, 8)}, expected ${hex(magic, 8)}`, 0, 4)
  const [headerSize, protectedSize] = [head.readUInt16LE(8), head.readUInt16LE(10)]
  const [imageSize, flags] = [head.readUInt32LE(12), head.readUInt32LE(16)]
  if (headerSize < headerBytes)
    throw new FormatError('header_size', `The header has ${headerSize} bytes, at least 32 are needed`, 8, 2)
  const tlvAt = headerSize + imageSize
  if (!reader.has(tlvAt, 4))
    throw new FormatError('truncated', `The image ends at byte ${tlvAt}, the file has ${reader.size}`, 12, 4)
  const guarded = protectedSize > 0 ? await readTlvs(reader, tlvAt, protectedTlvMagic, 'The protected TLV area') : undefined
  if (guarded && guarded.end !== tlvAt + protectedSize)
    throw new FormatError('tlv', `The header gives ${protectedSize} bytes of protected TLVs, their area has another size`, 10, 2)
  const { tlvs } = await readTlvs(reader, tlvAt + protectedSize, tlvMagic, 'The TLV area')
  const first = (...types: number[]) => tlvs.find(({ type }) => types.includes(type))
  const hash = first(0x10, 0x11, 0x12)
  const keyHash = first(keyHashType)
  const counter = guarded?.tlvs.find(({ type }) => type === securityCounterType)
  const build = head.readUInt32LE(24)
  const number = `${head.readUInt8(20)}.${head.readUInt8(21)}.${head.readUInt16LE(22)}`
  return {
    version: build === 0 ? number : `${number}+${build}`,
    loadAddress: head.readUInt32LE(4),
    isEncrypted: (flags & encryptedFlags) !== 0,
    hashed: { offset: 0, length: tlvAt + protectedSize },
    hash: hash ? { algorithm: hashTypes[hash.type] ?? 'sha256', offset: hash.offset, value: hash.value } : null,
    signatures: tlvs.flatMap(({ type, offset, value }) => {
      const kind = signatureTypes[type]
      return kind ? [{ ...kind, offset, value, isPure: first(pureSignatureType) !== undefined }] : []
    }),
    keyHash: keyHash ? { offset: keyHash.offset, value: keyHash.value } : null,
    publicKey: first(publicKeyType)?.value ?? null,
    securityCounter: counter?.value.length === 4 ? counter.value.readUInt32LE(0) : null,
  }
}

/** The bytes of a key as MCUboot hashes them: PKCS#1 for RSA, SubjectPublicKeyInfo for others (scripts/imgtool/keys). */
const mcubootKeyBytes = (key: KeyObject): Buffer =>
  key.asymmetricKeyType === 'rsa' ? key.export({ type: 'pkcs1', format: 'der' }) : key.export({ type: 'spki', format: 'der' })

export const mcubootKeyHash = (key: KeyObject, algorithm = 'sha256'): Buffer =>
  createHash(algorithm).update(mcubootKeyBytes(key)).digest()

/** `imgtool sign --pad-sig` writes zeros after the DER of an ECDSA signature, so that its length is always the same. */
const withoutZeros = (signature: Buffer) => {
  try {
    const { end } = readDer(signature)
    return signature.subarray(end).every((byte) => byte === 0) ? signature.subarray(0, end) : signature
  } catch {
    return signature
  }
}

/** Whether `key` made the signature. An image that is signed as a whole with Ed25519 cannot be verified in chunks: null. */
export const verifyMcuboot = async (
  reader: Reader,
  image: McubootImage,
  signature: McubootImage['signatures'][number],
  key: KeyObject,
): Promise<boolean | null> => {
  const algorithm = image.hash?.algorithm ?? 'sha256'
  if (signature.form !== 'ed25519') {
    const value = signature.form === 'ecdsa-der' ? withoutZeros(signature.value) : signature.value
    return verifyRanges({ key, form: signature.form, hash: algorithm, signature: value }, reader, [image.hashed])
  }
  if (signature.isPure) return null
  return verifyEd25519(key, await reader.digest(algorithm, [image.hashed], 'The image'), signature.value)
}

/** Starts of keys as a boot loader contains them, and their lengths. */
const embeddedKeys: [start: Buffer, length: number][] = [
  [Buffer.from('3082010a0282010100', 'hex'), 270],
  [Buffer.from('3082018a0282018100', 'hex'), 398],
  [Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex'), 91],
  [Buffer.from('3076301006072a8648ce3d020106052b81040022036200', 'hex'), 120],
  [Buffer.from('302a300506032b6570032100', 'hex'), 44],
]
const maxEmbedded = 64

/** Public keys in a program, as DER. */
export const findEmbeddedKeys = async (reader: Reader): Promise<{ offset: number; der: Buffer }[]> => {
  const found = new Map<number, Buffer>()
  let before = Buffer.alloc(0)
  let at = 0
  for await (const chunk of reader.chunks([{ offset: 0, length: reader.size }], 'The program')) {
    const window = Buffer.concat([before, chunk])
    const start = at - before.length
    for (const [needle, length] of embeddedKeys)
      for (let n = window.indexOf(needle); n >= 0; n = window.indexOf(needle, n + 1)) {
        if (!reader.has(start + n, length)) continue
        found.set(start + n, await reader.bytes(start + n, length, 'An embedded key'))
        if (found.size > maxEmbedded)
          throw new FormatError('keys', `The program has more than ${maxEmbedded} public keys`, start + n, length)
      }
    before = window.subarray(Math.max(0, window.length - 32))
    at += chunk.length
  }
  return [...found].map(([offset, der]) => ({ offset, der }))
}
