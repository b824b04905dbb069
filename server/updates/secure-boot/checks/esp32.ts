import { parseEspImage, parsePartitionTable, readSignatureBlocks, verifyBlock } from '../formats/esp32'
import { hex } from '../formats/reader'
import { checkKeyHash, checkRollback, readKeyHash } from './common'
import type { Findings, Part } from './findings'

const checkImage = async (findings: Findings, part: Part, isApp: boolean): Promise<Buffer[]> => {
  const image = await findings.attempt('image', part, () => parseEspImage(part.reader))
  if (!image) return []
  findings.add('ok', 'image_magic', 'The magic byte is 0xE9', part, { offset: 0, length: 1 })
  findings.describe(part, 'ESP32 image', [
    { name: 'Chip', value: image.chip, offset: 12 },
    { name: 'Entry point', value: hex(image.entryPoint, 8), offset: 4 },
    { name: 'Segments', value: String(image.segments.length), offset: 1 },
  ])
  const { checksum, digest, secureVersion } = image
  const sumTexts: [string, string] = [
    'The checksum matches',
    `The checksum is ${hex(checksum.stored)}, computed ${hex(checksum.computed)}`,
  ]
  findings.rule('checksum', checksum.stored === checksum.computed, sumTexts, part, { offset: checksum.offset, length: 1 })
  if (digest)
    findings.rule(
      'digest',
      digest.stored.equals(digest.computed),
      ['The SHA-256 of the image matches', 'The SHA-256 of the image does not match'],
      part,
      {
        offset: digest.offset,
        length: 32,
      },
    )
  if (isApp && secureVersion)
    checkRollback(findings, part, secureVersion.value, 'SECURE_VERSION', { offset: secureVersion.offset, length: 4 })
  if (isApp && !secureVersion)
    findings.add(
      'warning',
      'secure_version_missing',
      'The image has no app description (0xABCD5432) with its SECURE_VERSION',
      part,
    )

  const blocks = await readSignatureBlocks(part.reader)
  const sector = { offset: Math.max(0, part.reader.size - 4096), length: Math.min(part.reader.size, 4096) }
  const blockTexts: [string, string] = [
    `${blocks.length} signature blocks (0xE7) in the last sector`,
    'No valid signature block (0xE7, CRC-32) in the last 4096 bytes of a file of whole sectors',
  ]
  findings.rule('signature_block', blocks.length > 0, blockTexts, part, sector)
  for (const block of blocks) {
    const range = { offset: block.offset, length: 1216 }
    const { digest: isSame, signature } = await verifyBlock(part.reader, block)
    // The signature is over the same bytes: one finding is enough.
    if (!isSame)
      findings.add('error', 'signature_digest', 'The digest in the signature block does not match the image', part, range)
    else
      findings.rule(
        'signature',
        signature,
        [`The ${block.algorithm} signature is valid`, `The ${block.algorithm} signature is not valid`],
        part,
        range,
      )
    findings.signed(part, { algorithm: block.algorithm, key: block.key, verified: isSame && signature })
    findings.checkKey(part, block.key, range)
  }
  return blocks.map(({ keyDigest }) => keyDigest)
}

export const checkEsp32 = async (findings: Findings): Promise<void> => {
  const hash = await readKeyHash(findings, [32])
  const boot = findings.first('first_stage')
  const digests = boot ? await checkImage(findings, boot, false) : []
  if (digests.length > 0) checkKeyHash(findings, hash, digests, 'the key in the signature block of the boot loader')
  const app = findings.first('fit_image', 'kernel')
  const appDigests = app ? await checkImage(findings, app, true) : []
  if (app && digests.length > 0 && appDigests.length > 0)
    findings.rule(
      'app_key',
      appDigests.some((it) => digests.some((other) => other.equals(it))),
      ['The app is signed with a key of the boot loader', 'The app is signed with another key than the boot loader'],
      app,
    )
  const table = findings.first('partition_table')
  const partitions = table && (await findings.attempt('partition_table', table, () => parsePartitionTable(table.reader)))
  if (table && partitions) {
    findings.add('ok', 'partition_table', `The partition table has ${partitions.length} entries (0xAA50)`, table, {
      offset: 0,
      length: 32 * partitions.length,
    })
    findings.describe(
      table,
      'ESP32 partition table',
      partitions.map(({ name, offset, size, at }) => ({ name, value: `${hex(offset)}, ${size} bytes`, offset: at })),
    )
    const type = ({ type: kind }: { type: number }) => kind === 0
    findings.rule(
      'app_partition',
      partitions.some(type),
      ['There is a partition for an app', 'No partition is for an app (type 0)'],
      table,
    )
  }
}
