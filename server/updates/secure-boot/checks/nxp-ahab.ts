import { ahabTableHash, parseAhab, parseAhabTable, verifyAhab, verifyAhabImage } from '../formats/ahab'
import { checkKeyHash, checkRollback, readKeyHash } from './common'
import type { Findings, Part } from './findings'

const checkContainers = async (findings: Findings, part: Part, table: Buffer | undefined) => {
  const containers = await findings.attempt('container', part, () => parseAhab(part.reader))
  if (!containers) return
  findings.add('ok', 'container_tag', `${containers.length} containers with the tag 0x87`, part, {
    offset: containers[0]?.offset ?? 0,
    length: 4,
  })
  findings.describe(
    part,
    'AHAB container',
    containers.map(({ offset, signer, images, fuseVersion }, n) => ({
      name: `Container ${n}`,
      value: `signed by ${signer}, ${images.length} images, fuse version ${fuseVersion}`,
      offset,
    })),
  )
  for (const container of containers) {
    for (const image of container.images) {
      const valid = await findings.attempt('image', part, () => verifyAhabImage(part.reader, image))
      if (valid !== undefined)
        findings.rule(
          'image_hash',
          valid,
          ['The hash of an image matches', 'The hash of an image does not match its data'],
          part,
          image,
        )
    }
    // NXP signs the firmware of the security controller.
    if (container.signer === 'nxp') continue
    const range = { offset: container.offset, length: container.length }
    if (!container.table || !container.signature) {
      findings.add('error', 'signature_missing', 'The container is not signed', part, range)
      continue
    }
    const used = container.table.keys[container.usedKey]
    const valid = await verifyAhab(part.reader, container)
    const signaturePlace = { offset: container.signature.offset, length: container.signature.value.length + 8 }
    if (container.signature.byCertificate && !valid)
      findings.add(
        'warning',
        'certificate',
        'The container has a certificate, and its key is not read: the signature is not checked',
        part,
        signaturePlace,
      )
    else
      findings.rule(
        'signature',
        valid,
        [`The signature by SRK ${container.usedKey} is valid`, `The signature by SRK ${container.usedKey} is not valid`],
        part,
        signaturePlace,
      )
    findings.signed(part, { algorithm: used?.algorithm ?? 'unknown', key: used?.key ?? null, verified: valid })
    const place = { offset: container.table.offset, length: container.table.bytes.length }
    if (table)
      findings.rule(
        'srk_table',
        table.equals(container.table.bytes),
        ['The container has the SRK table of the bundle', 'The container has another SRK table than the bundle'],
        part,
        place,
      )
    checkRollback(findings, part, container.fuseVersion, 'The fuse version', { offset: container.offset + 10, length: 1 })
  }
  if (containers.every(({ signer }) => signer === 'nxp'))
    findings.add('error', 'signature_missing', 'Every container is signed by NXP: the part of the manufacturer is missing', part)
}

export const checkNxpAhab = async (findings: Findings): Promise<void> => {
  const hash = await readKeyHash(findings, [32, 64])
  const tablePart = findings.first('key_table')
  const table = tablePart && (await findings.attempt('srk_table', tablePart, () => parseAhabTable(tablePart.reader)))
  if (tablePart && table) {
    findings.add('ok', 'srk_table_format', `The SRK table has ${table.keys.length} keys`, tablePart, {
      offset: 0,
      length: table.bytes.length,
    })
    findings.describe(
      tablePart,
      'SRK table (AHAB)',
      table.keys.map(({ algorithm, hash: of }, n) => ({ name: `SRK ${n}`, value: `${algorithm}, ${of}`, offset: null })),
    )
    for (const { key } of table.keys) findings.checkKey(tablePart, key)
    if (hash) checkKeyHash(findings, hash, ahabTableHash(table, hash.length), 'the SRK table')
  }
  const container = findings.first('boot_container')
  if (container) await checkContainers(findings, container, table?.bytes)
}
