import { createHash, createPublicKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { bytesReader } from '../testing/bytes-reader'
import { makeFdt, type TestNode } from '../testing/make-fdt'
import { sample } from '../testing/sample-bundles'
import { parseAhab, parseAhabTable } from './ahab'
import { listArchive } from './archives'
import { parseSignedData } from './cms'
import { children, readDer, whole } from './der'
import { parseEspImage, parsePartitionTable } from './esp32'
import { parseFdt } from './fdt'
import { parseFit, readBootKeys } from './fit'
import { parseSrkTable } from './hab'
import { parseFuseConfiguration } from './jetson'
import { findEmbeddedKeys } from './mcuboot'
import { parseHss } from './polarfire'
import { parseBootConfig, parseEeprom, parseSignatureFile } from './raspberry-pi'
import { type Reader, readerOf } from './reader'
import { parseStm32 } from './stm32'
import { parsePe, parseVariable } from './uefi'

const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))
const put = (bytes: Buffer, ...words: [offset: number, value: number][]) => {
  for (const [offset, value] of words) bytes.writeUInt32LE(value, offset)
  return bytes
}
const fit = (images: TestNode[], configurations: TestNode[] = []) =>
  makeFdt({
    children: [
      { name: 'images', children: images },
      { name: 'configurations', children: configurations },
    ],
  })
const image = (n: number): TestNode => ({ name: `fdt-${n}`, properties: [['data', 'x']] })
const named = (prefix: string) => (n: number) => ({ name: `${prefix}-${n}` })

const derOf = (tag: number, ...parts: Buffer[]) => {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag, 0x84]), Buffer.from(body.length.toString(16).padStart(8, '0'), 'hex'), body])
}
/** The signature of a sample with its certificate so many times. */
const signedData = (certificates: number) => {
  const auth = sample('PK.auth')
  const parts = children(readDer(auth.subarray(40, 16 + auth.readUInt32LE(16))))
  const [first] = parts
  const inner = first?.tag === 0x06 ? children(children(parts[1] as never)[0] as never) : parts
  const again = inner.map((part) =>
    part.tag === 0xa0 ? derOf(0xa0, ...times(certificates, () => whole(children(part)[0] as never))) : whole(part),
  )
  return derOf(0x30, ...again)
}
/** A loader with its signature so many times. */
const signedProgram = (signatures: number) => {
  const bytes = sample('loader.efi')
  const directory = bytes.readUInt32LE(60) + 24 + 112 + 32
  const [at, size] = [bytes.readUInt32LE(directory), bytes.readUInt32LE(directory + 4)]
  put(bytes, [directory + 4, size * signatures])
  return Buffer.concat([bytes.subarray(0, at), ...times(signatures, () => bytes.subarray(at, at + size))])
}
const hashList = (count: number) => {
  const list = Buffer.alloc(28 + 48 * count, 1)
  Buffer.from('2616c4c14c509240aca941f936934328', 'hex').copy(list)
  return put(list, [16, list.length], [20, 0], [24, 48])
}
const srkTable = (count: number) => {
  const entry = Buffer.concat([Buffer.from('ee002400', 'hex'), Buffer.alloc(32, 1)])
  const table = Buffer.concat([Buffer.from('d7000040', 'hex'), ...times(count, () => entry)])
  table.writeUInt16BE(table.length, 1)
  return table
}
const ahabTable = (count: number) => {
  const key = createPublicKey(sample('fit.pub.pem')).export({ format: 'jwk' })
  const [n, e] = [Buffer.from(key.n ?? '', 'base64url'), Buffer.from('010001', 'hex')]
  const record = Buffer.concat([Buffer.from('e1000021', 'hex'), Buffer.alloc(8), n, e])
  record.writeUInt16LE(record.length, 1)
  record.writeUInt16LE(n.length, 8)
  record.writeUInt16LE(e.length, 10)
  const table = Buffer.concat([Buffer.from('d7000042', 'hex'), ...times(count, () => record)])
  table.writeUInt16LE(table.length, 1)
  return table
}
/** Containers that nobody signed, the later ones far behind the first. */
const containers = (count: number) => {
  const bytes = Buffer.alloc(0x1_0000 + 0x400 * count)
  for (let n = 0; n < count; n++) {
    const at = n === 0 ? 0 : 0x1_0000 + 0x400 * n
    Buffer.from('00900087', 'hex').copy(bytes, at)
    bytes[at + 11] = 1
  }
  return bytes
}
const espImage = (segments: number) => {
  const bytes = Buffer.alloc(24 + 8 * segments + 16)
  bytes[0] = 0xe9
  bytes[1] = segments
  return bytes
}
const partitions = (count: number) => {
  const entry = Buffer.alloc(32)
  entry.writeUInt16BE(0xaa_50)
  return Buffer.concat([...times(count, () => entry), Buffer.alloc(Math.max(0, 96 - count) * 32, 0xff)])
}
const eeprom = (sections: number) => {
  const bytes = Buffer.alloc(524_288, 0xff)
  for (let n = 0; n < sections; n++) Buffer.from('55aaf00f00000000', 'hex').copy(bytes, 8 * n)
  return bytes
}
const payload = (chunks: number) => {
  const header = sample('payload-hss.bin').subarray(0, 1632)
  for (const [at, value] of [
    [24, 1632],
    [32, 1632 + 40 * chunks],
    [1480, 1632 + 40 * chunks],
  ] as const)
    header.writeBigUInt64LE(BigInt(value), at)
  const chunk = Buffer.alloc(40)
  chunk.writeBigUInt64LE(8n, 24)
  return Buffer.concat([header, ...times(chunks, () => chunk)])
}
const stm32 = (keys: number) => {
  const bytes = Buffer.concat([sample('fsbl2.stm32').subarray(0, 128), Buffer.alloc(84 + 32 * keys)])
  put(bytes, [76, 0], [100, 1], [104, 84 + 32 * keys])
  return put(bytes, [128, 0x02_00_54_53], [132, 84 + 32 * keys], [136, 0], [140, keys], [144, 1])
}
const tar = (entries: number) => {
  const header = sample('archive.tar').subarray(0, 512)
  header.fill('0', 124, 135)
  return Buffer.concat([...times(entries, () => header), Buffer.alloc(1024)])
}
const zip = (entries: number) => {
  const entry = Buffer.alloc(46)
  entry.write('PK\x01\x02', 'latin1')
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  put(end, [12, 46 * entries], [16, 4])
  return Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), ...times(entries, () => entry), end])
}
const cpio = (entries: number) => {
  const fields = (name: string) => [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, name.length + 1, 0]
  const entry = (name: string) => {
    const text = `070701${fields(name)
      .map((field) => field.toString(16).padStart(8, '0'))
      .join('')}${name}\0`
    return text.padEnd(Math.ceil(text.length / 4) * 4, '\0')
  }
  return Buffer.from(entry('a').repeat(entries) + entry('TRAILER!!!'))
}
const embedded = (count: number) =>
  Buffer.concat(
    times(count, (n) =>
      Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), createHash('sha256').update(String(n)).digest()]),
    ),
  )
const filled = (start: string, end: string, fill: string) => (length: number) =>
  Buffer.from(`${start}${fill.repeat(length - start.length - end.length)}${end}`)
const signatureFile = filled(`${'ab'.repeat(32)}\nts: 1\nrsa2048: ${'cd'.repeat(256)}\n`, '', '\n')
const fuses = filled('<genericfuse MagicId="0x45535546"><fuse name="SecurityMode" size="4" value="0x1"/>', '</genericfuse>', ' ')

type Row = [what: string, limit: number, rule: string, read: (reader: Reader) => Promise<unknown>, make: (n: number) => Buffer]

const rows: Row[] = [
  ['images of a FIT', 2048, 'limit', parseFit, (n) => fit(times(n, image))],
  ['configurations of a FIT', 2048, 'limit', parseFit, (n) => fit([image(0)], times(n, named('conf')))],
  ['hashes of an image', 16, 'limit', parseFit, (n) => fit([{ ...image(0), children: times(n, named('hash')) }])],
  [
    'signatures of a configuration',
    8,
    'limit',
    parseFit,
    (n) => fit([image(0)], [{ name: 'a', children: times(n, named('signature')) }]),
  ],
  [
    'properties of a configuration',
    64,
    'limit',
    parseFit,
    (n) => fit([image(0)], [{ name: 'a', properties: times(n, (it) => [`p${it}`, 'fdt-0']) }]),
  ],
  [
    'bytes of a property',
    65_536,
    'too_large',
    parseFit,
    (n) => fit([image(0)], [{ name: 'a', properties: [['fdt', Buffer.alloc(n)]] }]),
  ],
  [
    'keys in the devicetree of U-Boot',
    256,
    'limit',
    readBootKeys,
    (n) => makeFdt({ children: [{ name: 'signature', children: times(n, named('key')) }] }),
  ],
  ['tokens of a devicetree', 65_536, 'structure', parseFdt, (n) => makeFdt({ properties: times(n - 3, () => ['a', '']) })],
  [
    'certificates of a signature',
    16,
    'cms',
    async (reader) => parseSignedData(await reader.bytes(0, reader.size, 'It')),
    signedData,
  ],
  ['signatures of a PE image', 16, 'signatures', parsePe, signedProgram],
  ['signatures of a UEFI variable', 4096, 'esl', parseVariable, hashList],
  ['keys in a boot loader', 64, 'keys', findEmbeddedKeys, embedded],
  ['keys of an SRK table (HAB)', 4, 'entry', parseSrkTable, srkTable],
  ['keys of an SRK table (AHAB)', 4, 'record', parseAhabTable, ahabTable],
  ['containers of AHAB', 32, 'containers', parseAhab, containers],
  ['segments of an ESP32 image', 16, 'segments', parseEspImage, espImage],
  ['entries of an ESP32 partition table', 95, 'end', parsePartitionTable, partitions],
  ['sections of an EEPROM image', 4096, 'sections', parseEeprom, eeprom],
  ['bytes of a Raspberry Pi signature', 65_536, 'too_large', parseSignatureFile, signatureFile],
  ['bytes of config.txt', 65_536, 'too_large', parseBootConfig, filled('a=1\n', '', '\n')],
  ['bytes of a Jetson fuse configuration', 65_536, 'too_large', parseFuseConfiguration, fuses],
  ['chunks of an HSS payload', 4096, 'chunks', parseHss, payload],
  ['keys of an STM32 header', 8, 'extension', parseStm32, stm32],
  ['entries of a tar archive', 10_000, 'entries', listArchive, tar],
  ['entries of a zip archive', 10_000, 'entries', listArchive, zip],
  ['entries of a cpio archive', 10_000, 'entries', listArchive, cpio],
]

describe('a parser of secure-boot files', () => {
  it.each(rows)('reads as many %s as %d, and refuses one more instead of leaving it out', async (_, limit, rule, read, make) => {
    const of = (n: number) => read(readerOf(bytesReader(make(n))))
    await expect(of(limit)).resolves.toBeDefined()
    await expect(of(limit + 1)).rejects.toMatchObject({ rule })
  })
})
