import { isFdt } from '../formats/fdt'
import { verifyRanges } from '../formats/public-keys'
import { hex } from '../formats/reader'
import { parseStm32 } from '../formats/stm32'
import { checkKeyHash, checkRollback, readKeyHash } from './common'
import type { Findings, Part } from './findings'

// TF-A include/tools_share/firmware_image_package.h.
const fipMagic = 0xaa_64_00_01

const checkHeader = async (findings: Findings, part: Part) => {
  const image = await findings.attempt('header', part, () => parseStm32(part.reader))
  if (!image) return undefined
  findings.add('ok', 'header_magic', `The magic number is STM2, header version ${image.version}`, part, { offset: 0, length: 4 })
  findings.describe(part, 'STM32 image', [
    { name: 'Header version', value: image.version, offset: 72 },
    { name: 'Image version', value: String(image.imageVersion), offset: 96 },
    { name: 'Load address', value: hex(image.loadAddress, 8), offset: 88 },
  ])
  const { checksum, signature } = image
  const texts: [string, string] = [
    'The checksum matches',
    `The checksum is ${hex(checksum.stored, 8)}, computed ${hex(checksum.computed, 8)}`,
  ]
  // The ROM uses it only where the image is not signed.
  if (!signature) findings.rule('checksum', checksum.stored === checksum.computed, texts, part, { offset: 68, length: 4 })
  checkRollback(findings, part, image.imageVersion, 'The image version', { offset: 96, length: 4 })
  if (!signature) {
    findings.add('error', 'signature_missing', 'The image is not signed: the header has no signature enabled', part, {
      offset: 100,
      length: 4,
    })
    return undefined
  }
  const { algorithm, covered, entry, key, value } = signature
  if (entry)
    findings.rule(
      'key_table',
      entry.stored.equals(entry.computed),
      ['The key is the one that the table of the header names', 'The table of the header has another hash for the used key'],
      part,
      { offset: 128, length: 8 },
    )
  const valid =
    key !== null && (await verifyRanges({ key, form: 'ecdsa-raw', hash: 'sha256', signature: value }, part.reader, [covered]))
  findings.rule('signature', valid, [`The ${algorithm} signature is valid`, `The ${algorithm} signature is not valid`], part, {
    offset: 4,
    length: 64,
  })
  findings.signed(part, { algorithm, key, verified: valid })
  findings.checkKey(part, key)
  return signature.keyHash
}

const checkSecondStage = async (findings: Findings, part: Part) => {
  const magic = part.reader.has(0, 4) ? await part.reader.bytes(0, 4, 'The magic number') : Buffer.alloc(4)
  if (magic.toString('latin1') === 'STM2') await checkHeader(findings, part)
  else if (magic.readUInt32LE() === fipMagic)
    findings.add(
      'ok',
      'second_stage',
      'The file is a FIP. TF-A verifies the certificates in it; they are not checked here',
      part,
      { offset: 0, length: 4 },
    )
  else if (await isFdt(part.reader)) findings.add('ok', 'second_stage', 'The file is a FIT', part, { offset: 0, length: 4 })
  else
    findings.add(
      'error',
      'second_stage',
      `The file starts with ${hex(magic.readUInt32BE(), 8)}: no FIP, STM32 image or FIT`,
      part,
      { offset: 0, length: 4 },
    )
}

export const checkStm32mp = async (findings: Findings): Promise<void> => {
  const hash = await readKeyHash(findings, [32])
  const first = findings.first('first_stage')
  const keyHash = first && (await checkHeader(findings, first))
  if (keyHash) checkKeyHash(findings, hash, keyHash, 'the keys in the header of the first stage')
  const second = findings.first('second_stage')
  if (second) await checkSecondStage(findings, second)
}
