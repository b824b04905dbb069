/**
 * Calls every parser with damaged samples and random bytes: `node --import tsx fuzz.ts <inputs> <seed>`. A process of its own, so
 * that a test can limit its memory and time. Prints the number of inputs and the memory it took, as JSON.
 */
import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto'
import { checkBundle } from '../checks/check-bundle'
import { ahabTableHash, parseAhab, parseAhabTable, verifyAhab, verifyAhabImage } from '../formats/ahab'
import { listArchive } from '../formats/archives'
import { parseSignedData } from '../formats/cms'
import { parseEspImage, parsePartitionTable, readSignatureBlocks, verifyBlock } from '../formats/esp32'
import { fitSigner, parseFit, readBootKeys, signaturePadding, uncoveredNodes, verifyFitHashes } from '../formats/fit'
import { findIvt, parseSrkTable, verifyHab } from '../formats/hab'
import { parseFuseConfiguration } from '../formats/jetson'
import { findEmbeddedKeys, parseMcuboot, verifyMcuboot } from '../formats/mcuboot'
import { parseHss, verifyHss } from '../formats/polarfire'
import { findPrivateKey } from '../formats/private-keys'
import { readPublicKeys } from '../formats/public-keys'
import { parseBootConfig, parseEeprom, parseSignatureFile } from '../formats/raspberry-pi'
import { FormatError, type Reader, readerOf } from '../formats/reader'
import { parseStm32 } from '../formats/stm32'
import { parseK3 } from '../formats/ti-k3'
import { parsePe, parseVariable, readVendorCertificates, variableSigner, verifyAuthenticode } from '../formats/uefi'
import type { ByteReader } from '../types'
import { bytesReader } from './bytes-reader'
import { sample, sampleBundle, sampleFiles, samplePlatforms, toArtifacts } from './sample-bundles'

/** Mulberry32: the same numbers for the same seed. */
const generator = (seed: number) => () => {
  seed = (seed + 0x6d_2b_79_f5) | 0
  let value = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
  return ((value ^ (value >>> 14)) >>> 0) / 0x1_00_00_00_00
}
const [, , inputs = '5000', seed = '1'] = process.argv
const random = generator(Number(seed))
const below = (limit: number) => Math.floor(random() * limit)
const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T

const certificates = [new X509Certificate(sample('chain-kek.der'))]
const keys: KeyObject[] = ['fit.pub.pem', 'hss.pub.pem'].map((name) => createPublicKey(sample(name)))

type Parser = (reader: Reader, bytes: ByteReader) => Promise<unknown>
const parsers: [Parser, samples: string[]][] = [
  [
    async (reader) => {
      const fit = await parseFit(reader)
      for (const image of fit.images) await verifyFitHashes(reader, image)
      for (const configuration of fit.configurations)
        for (const signature of configuration.signatures) {
          uncoveredNodes(fit, configuration, signature)
          await fitSigner(reader, fit, signature, keys, await signaturePadding(reader, configuration, signature))
        }
    },
    ['fit.itb', 'plain.itb', 'tispl.bin'],
  ],
  [(reader) => readBootKeys(reader), ['u-boot.dtb', 'u-boot-image.dtb']],
  [
    async (reader) => {
      const image = await parseMcuboot(reader)
      for (const signature of image.signatures) await verifyMcuboot(reader, image, signature, pick(keys))
    },
    ['app-mcuboot.bin'],
  ],
  [(reader) => findEmbeddedKeys(reader), ['mcuboot-loader.bin']],
  [(reader) => parseEspImage(reader), ['app-esp.bin', 'bootloader-esp.bin']],
  [
    async (reader) => {
      for (const block of await readSignatureBlocks(reader)) await verifyBlock(reader, block)
    },
    ['app-esp.bin'],
  ],
  [(reader) => parsePartitionTable(reader), ['partitions.bin']],
  [(reader) => parseStm32(reader), ['fsbl.stm32', 'fsbl2.stm32', 'fsbl-unsigned.stm32']],
  [
    async (reader) => {
      const ivt = await findIvt(reader)
      if (ivt) await verifyHab(reader, ivt)
    },
    ['flash-hab.bin'],
  ],
  [(reader) => parseSrkTable(reader), ['srk-table.bin']],
  [
    async (reader) => {
      for (const container of await parseAhab(reader)) {
        for (const image of container.images) await verifyAhabImage(reader, image)
        await verifyAhab(reader, container)
      }
    },
    ['flash-ahab.bin'],
  ],
  [async (reader) => ahabTableHash(await parseAhabTable(reader), 32), ['ahab-table.bin']],
  [(reader) => parseK3(reader), ['tiboot3.bin']],
  [(reader) => parseSignatureFile(reader), ['boot.sig']],
  [(reader) => parseEeprom(reader), ['pieeprom.start.bin']],
  [(reader) => parseBootConfig(reader), ['rpi-config.txt']],
  [(reader) => parseFuseConfiguration(reader), ['fuses.xml']],
  [async (reader) => verifyHss(reader, await parseHss(reader), keys), ['payload-hss.bin']],
  [
    async (reader) => variableSigner(reader, await parseVariable(reader), 'db', certificates),
    ['PK.auth', 'db.auth', 'db.esl', 'chain-dbx.auth'],
  ],
  [
    async (reader) => {
      const image = await parsePe(reader)
      await readVendorCertificates(reader, image)
      for (const signature of image.signatures) await verifyAuthenticode(reader, image, signature)
    },
    ['loader.efi', 'unsigned.efi', 'shim.efi'],
  ],
  [async (reader) => parseSignedData(await reader.bytes(0, Math.min(reader.size, 65_536), 'The signature')), ['PK.auth']],
  [
    async (reader) => readPublicKeys(await reader.bytes(0, Math.min(reader.size, 65_536), 'The key')),
    ['fit.pub.pem', 'mcuboot-loader.bin'],
  ],
  [(_, bytes) => findPrivateKey(bytes), ['fit.pub.pem', 'srk-table.bin', 'flash-hab.bin']],
  [(reader) => listArchive(reader), ['archive.zip', 'archive.tar', 'archive.cpio']],
]

const files = new Map(
  [...new Set(parsers.flatMap(([, names]) => names))].map((name) => [
    name,
    name === 'pieeprom.start.bin'
      ? Buffer.concat([sample(name), Buffer.alloc(524_288, 0xff)]).subarray(0, 524_288)
      : sample(name),
  ]),
)

const interesting = [0, 1, 0x7f, 0x80, 0xff, 0x7f_ff, 0xff_ff, 0x7f_ff_ff_ff, 0x80_00_00_00, 0xff_ff_ff_ff]

/** One to eight changes of a copy. */
const damage = (original: Buffer): Buffer => {
  let bytes = Buffer.from(original)
  // Headers are where a change matters most.
  const place = () => below(random() < 0.5 ? Math.min(bytes.length, 256) : bytes.length)
  for (let changes = 1 + below(8); changes > 0 && bytes.length > 0; changes--) {
    const at = place()
    const kind = below(7)
    if (kind === 0) bytes = bytes.subarray(0, at)
    else if (kind === 1) bytes = Buffer.concat([bytes, Buffer.alloc(below(5000), below(256))])
    else if (kind === 2 && at + 4 <= bytes.length) bytes.writeUInt32LE(pick(interesting), at)
    else if (kind === 3 && at + 4 <= bytes.length) bytes.writeUInt32BE(pick(interesting), at)
    else if (kind === 4) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.min(bytes.length, at + below(64)))])
    else if (kind === 5) bytes.copy(bytes, at, place(), place())
    else bytes[at] = below(256)
  }
  return bytes
}

const noise = () => Buffer.from(Array.from({ length: below(600) }, () => below(256)))

/** The bytes, and zeros up to a size that does not fit into the allowed memory. */
const longReader = (bytes: Buffer): ByteReader => {
  const size = 96 * 1_048_576
  return {
    size,
    read: async (offset, length) => {
      if (offset < 0 || offset + length > size) throw new RangeError(`Read of ${length} bytes at ${offset} of ${size}`)
      measure()
      const result = Buffer.alloc(length)
      if (offset < bytes.length) bytes.copy(result, 0, offset, offset + length)
      return result
    },
  }
}

let highest = 0
const measure = () => {
  highest = Math.max(highest, process.memoryUsage.rss())
}

const call = async (n: number) => {
  const [parser, names] = pick(parsers)
  const original = files.get(pick(names)) ?? Buffer.alloc(0)
  const input = random() < 0.1 ? Buffer.concat([original.subarray(0, below(16)), noise()]) : damage(original)
  // 100 of such inputs take some seconds.
  const bytes = n % 1000 === 7 ? longReader(input) : bytesReader(input)
  try {
    await parser(readerOf(bytes), bytes)
  } catch (error) {
    if (!(error instanceof FormatError))
      throw new Error(`Input ${n} of seed ${seed}: ${input.toString('base64')}`, { cause: error })
  }
}

/** A whole bundle with one damaged file: never throws. */
const callChecks = async () => {
  const platform = pick(samplePlatforms)
  const parts = sampleFiles(platform)
  const role = pick(Object.keys(parts) as (keyof typeof parts)[])
  parts[role] = damage(parts[role] ?? Buffer.alloc(0))
  await checkBundle(sampleBundle(platform), toArtifacts(parts))
}

for (let n = 0; n < 200; n++) await call(n + 8)
for (let n = 0; n < 20; n++) await callChecks()
globalThis.gc?.()
const start = process.memoryUsage.rss()
for (let n = 0; n < Number(inputs); n++) {
  await (n % 20 === 0 ? callChecks() : call(n))
  measure()
  // What is not needed any more is no memory that a parser takes.
  if (n % 200 === 0) globalThis.gc?.()
}
console.log(JSON.stringify({ inputs: Number(inputs), mebibytes: Math.ceil((highest - start) / 1_048_576) }))
