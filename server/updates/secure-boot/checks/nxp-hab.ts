import { isFdt } from '../formats/fdt'
import { findIvt, parseSrkTable, verifyHab } from '../formats/hab'
import { hex } from '../formats/reader'
import { checkFit, checkKeyHash, readKeyHash } from './common'
import type { Findings, Part } from './findings'

const checkContainer = async (findings: Findings, part: Part, table: Buffer | undefined) => {
  const ivt = await findIvt(part.reader)
  if (!ivt) {
    findings.add(
      'error',
      'ivt_tag',
      'No image vector table (tag 0xD1, 32 bytes, version 4) at a multiple of 4 in the first 4 MiB',
      part,
    )
    return
  }
  const range = { offset: ivt.offset, length: 32 }
  findings.add('ok', 'ivt_tag', 'The first image vector table has the tag 0xD1', part, range)
  findings.describe(part, 'i.MX HAB image', [
    { name: 'Entry point', value: hex(ivt.entry, 8), offset: ivt.offset + 4 },
    { name: 'Load address of the IVT', value: hex(ivt.self, 8), offset: ivt.offset + 20 },
  ])
  if (ivt.csf === 0) {
    findings.add('error', 'csf_missing', 'The image is not signed: the IVT names no CSF', part, range)
    return
  }
  const result = await findings.attempt('hab', part, () => verifyHab(part.reader, ivt))
  if (!result) return
  findings.certified(part, result.certificates)
  const { srk, srkIndex, csfSignature, csfCertificate, images, isEncrypted, isFast } = result
  if (isEncrypted) findings.add('warning', 'encrypted', 'A part of the image is encrypted: its MAC cannot be verified', part)
  const root = srk.entries[srkIndex]
  for (const { key } of srk.entries) findings.checkKey(part, key, { offset: srk.offset, length: srk.bytes.length })
  if (table)
    findings.rule(
      'srk_table',
      table.equals(srk.fuses),
      ['The image has the SRK table of the bundle', 'The image has another SRK table than the bundle'],
      part,
      { offset: srk.offset, length: srk.bytes.length },
    )
  // No public sample of it could be verified, so that a difference may be ours.
  if (isFast && !csfSignature.valid) {
    const reason = 'The SRK signs without certificates (fast authentication): the signatures are not checked'
    findings.add('warning', 'fast_authentication', reason, part, { offset: csfSignature.offset, length: 4 })
    return
  }
  findings.rule(
    'csf_certificate',
    csfCertificate,
    ['The SRK signed the certificates of the CSF', 'The SRK did not sign the certificates of the CSF'],
    part,
    { offset: srk.offset, length: srk.bytes.length },
  )
  findings.rule(
    'csf_signature',
    csfSignature.valid,
    ['The signature of the CSF is valid', 'The signature of the CSF is not valid'],
    part,
    {
      offset: csfSignature.offset,
      length: 4,
    },
  )
  if (images.length === 0) findings.add('error', 'image_signature_missing', 'The CSF signs no part of the image', part)
  for (const { offset, valid, blocks } of images)
    findings.rule(
      'image_signature',
      valid,
      [`The signature of ${blocks.length} parts of the image is valid`, 'The signature of the image is not valid'],
      part,
      { offset, length: 4 },
    )
  const coversIvt = images.some(({ blocks }) =>
    blocks.some((it) => it.offset <= ivt.offset && it.offset + it.length >= ivt.offset + 32),
  )
  findings.rule('ivt_signed', coversIvt, ['The signature covers the IVT', 'No signature covers the IVT'], part, range)
  findings.signed(part, {
    algorithm: root?.algorithm ?? 'unknown',
    key: root?.key ?? null,
    verified: csfCertificate && csfSignature.valid && images.length > 0 && images.every(({ valid }) => valid),
  })
}

export const checkNxpHab = async (findings: Findings): Promise<void> => {
  const hash = await readKeyHash(findings, [32])
  const tablePart = findings.first('key_table')
  const table = tablePart && (await findings.attempt('srk_table', tablePart, () => parseSrkTable(tablePart.reader)))
  if (tablePart && table) {
    findings.add('ok', 'srk_table_format', `The SRK table has ${table.entries.length} keys`, tablePart, {
      offset: 0,
      length: table.bytes.length,
    })
    findings.describe(
      tablePart,
      'SRK table (HAB)',
      table.entries.map(({ algorithm, hash: of }, n) => ({
        name: `SRK ${n}`,
        value: `${algorithm} ${of.toString('hex')}`,
        offset: null,
      })),
    )
    for (const { key } of table.entries) findings.checkKey(tablePart, key)
    checkKeyHash(findings, hash, table.fuses, 'the SRK table (SHA-256 over the hashes of its keys)')
  }
  const container = findings.first('boot_container')
  if (container) await checkContainer(findings, container, table?.fuses)
  const kernel = findings.first('fit_image')
  if (!kernel) return
  // Signed with an own IVT and CSF, or verified by U-Boot with the key in its devicetree.
  if (!(await isFdt(kernel.reader)) && (await findIvt(kernel.reader))) await checkContainer(findings, kernel, table?.fuses)
  else await checkFit(findings, kernel, findings.keys, false)
}
