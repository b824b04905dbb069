import type { KeyObject } from 'node:crypto'
import { reversed, rsaKey } from './public-keys'
import { FormatError, hex, type Reader } from './reader'

// Raspberry Pi: rpi-eeprom (rpi-eeprom-digest, rpi-eeprom-config) and usbboot (secure-boot-recovery/config.txt).
const [sectionMask, sectionMagic, fileMagic] = [0xff_ff_f0_0f, 0x55_aa_f0_0f, 0x55_aa_f1_1f]
const eepromSizes = [524_288, 2_097_152]
const maxSections = 4096
const maxTextBytes = 65_536

type SignatureFile = { sha256: string; timestamp: number | null; signature: { value: Buffer; offset: number } | null }

/** Text: the SHA-256 of the image, `ts:` and `rsa2048:` with the signature in hex. */
export const parseSignatureFile = async (reader: Reader): Promise<SignatureFile> => {
  if (reader.size > maxTextBytes) throw new FormatError('too_large', `The file has more than ${maxTextBytes} bytes`, 0)
  const text = (await reader.bytes(0, reader.size, 'The signature file')).toString('latin1')
  const sha256 = /^([0-9a-f]{64})\r?\n/.exec(text)?.[1]
  if (!sha256) throw new FormatError('first_line', 'The first line is no SHA-256 of 64 hexadecimal digits', 0, 64)
  const timestamp = /^ts: (\d{1,15})\r?$/m.exec(text)?.[1]
  const signature = /^rsa2048: ([0-9a-f]*)\r?$/m.exec(text)
  if (signature && signature[1]?.length !== 512)
    throw new FormatError('length', `The RSA signature has ${signature[1]?.length ?? 0} digits, expected 512`, signature.index)
  return {
    sha256,
    timestamp: timestamp ? Number(timestamp) : null,
    signature: signature?.[1] ? { value: Buffer.from(signature[1], 'hex'), offset: signature.index + 9 } : null,
  }
}

type EepromFile = { name: string; offset: number; length: number }
type Eeprom = { files: EepromFile[]; publicKey: { offset: number; key: KeyObject | null; bytes: Buffer } | null }

/** The sections of `pieeprom.bin`. The public key is 256 bytes of modulus and 8 of exponent, little-endian. */
export const parseEeprom = async (reader: Reader): Promise<Eeprom> => {
  if (!eepromSizes.includes(reader.size))
    throw new FormatError('size', `The image has ${reader.size} bytes, expected ${eepromSizes.join(' or ')}`, 0)
  const files: EepromFile[] = []
  let sections = 0
  for (let at = 0; reader.has(at, 8);) {
    const head = await reader.bytes(at, 8, 'A section')
    const [magic, length] = [head.readUInt32BE(0), head.readUInt32BE(4)]
    if (magic === 0 || magic === 0xff_ff_ff_ff) break
    if ((magic & sectionMask) >>> 0 !== sectionMagic)
      throw new FormatError('magic', `A section has the magic ${hex(magic, 8)}`, at, 4)
    if (!reader.has(at + 8, length)) throw new FormatError('truncated', 'A section ends after the image', at + 4, 4)
    if (++sections > maxSections) throw new FormatError('sections', `There are more than ${maxSections} sections`, at)
    if (magic === fileMagic && length >= 16) {
      const name = (await reader.bytes(at + 8, 12, 'A file name')).toString('latin1').replace(/\0[\s\S]*$/, '')
      files.push({ name, offset: at + 24, length: length - 16 })
    }
    at = Math.ceil((at + 8 + length) / 8) * 8
  }
  if (sections === 0) throw new FormatError('magic', 'The image has no section (0x55AAF00F)', 0, 4)
  const stored = files.find(({ name }) => name === 'pubkey.bin')
  // An image that was not signed has a place for the key.
  if (stored?.length !== 264) return { files, publicKey: null }
  const bytes = await reader.bytes(stored.offset, 264, 'pubkey.bin')
  const key = rsaKey(reversed(bytes.subarray(0, 256)), reversed(bytes.subarray(256)))
  return { files, publicKey: { offset: stored.offset, key, bytes } }
}

/** `key=value` lines with where they are; comments start with `#`. Of a name that is there twice, the last. */
export const parseBootConfig = async (reader: Reader): Promise<Map<string, { value: string; offset: number }>> => {
  if (reader.size > maxTextBytes) throw new FormatError('too_large', `The file has more than ${maxTextBytes} bytes`, 0)
  const text = (await reader.bytes(0, reader.size, 'The configuration')).toString('latin1')
  if (/[^\t\n\r -~\x80-\xff]/.test(text))
    throw new FormatError('text', 'The file is no text', text.search(/[^\t\n\r -~\x80-\xff]/), 1)
  const found = new Map<string, { value: string; offset: number }>()
  for (const match of text.matchAll(/^[ \t]*([A-Za-z0-9_.]{1,64})[ \t]*=[ \t]*([^\r\n#]*)/gm))
    found.set((match[1] ?? '').toLowerCase(), { value: (match[2] ?? '').trim(), offset: match.index })
  return found
}
