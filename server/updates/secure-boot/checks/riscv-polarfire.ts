import { findEmbeddedKeys } from '../formats/mcuboot'
import { parseHss, verifyHss } from '../formats/polarfire'
import { readPublicKeys } from '../formats/public-keys'
import { checkFitIfFit } from './common'
import type { Findings, Part } from './findings'

const isP384 = (key: { asymmetricKeyDetails?: { namedCurve?: string | undefined } | undefined }) =>
  key.asymmetricKeyDetails?.namedCurve === 'secp384r1'

const checkImage = async (findings: Findings, part: Part) => {
  const image = await findings.attempt('hss', part, () => parseHss(part.reader))
  if (!image) return
  findings.add('ok', 'hss_magic', 'The magic number is 0xB007C0DE', part, { offset: 0, length: 4 })
  findings.describe(part, 'HSS payload', [
    { name: 'Set name', value: image.name, offset: 1224 },
    { name: 'Chunks', value: String(image.chunks.length), offset: 24 },
  ])
  const { computed, stored } = image.headerCrc
  findings.rule(
    'header_crc',
    stored === computed,
    ['The CRC-32 of the header matches', 'The CRC-32 of the header does not match'],
    part,
    { offset: 16, length: 4 },
  )
  if (!image.signature) {
    findings.add('error', 'signature_missing', 'The image is not signed', part, { offset: 1488, length: 144 })
    return
  }
  const embedded = []
  for (const boot of findings.all('first_stage')) {
    const found = (await findings.attempt('embedded', boot, () => findEmbeddedKeys(boot.reader))) ?? []
    embedded.push(...found.flatMap(({ der }) => readPublicKeys(der)))
  }
  const keys = [...findings.keys, ...embedded].filter(isP384)
  const { digest, key } = await verifyHss(part.reader, image, keys)
  const range = { offset: 1488, length: 144 }
  findings.rule(
    'digest',
    digest,
    ['The SHA-384 of the image matches', 'The SHA-384 in the header does not match the image'],
    part,
    range,
  )
  if (keys.length === 0)
    findings.add('warning', 'key_missing', 'The bundle has no P-384 public key for the signature', part, range)
  // A changed image breaks digest and signature alike: one finding is enough.
  else if (digest)
    findings.rule(
      'signature',
      key !== null,
      ['The signature is valid for a key of the bundle', 'No P-384 key of the bundle made the signature'],
      part,
      range,
    )
  findings.signed(part, { algorithm: 'ecdsa-P-384', key, verified: key !== null })
  findings.checkKey(part, key, range)
}

export const checkRiscvPolarfire = async (findings: Findings): Promise<void> => {
  const part = findings.first('monitor_sbi')
  if (part) await checkImage(findings, part)
  await checkFitIfFit(findings, findings.first('fit_image'))
  const config = findings.first('config')
  if (config)
    findings.rule(
      'config',
      config.reader.size > 0,
      ['The design security settings are there. Their format is not in public documents and not checked', 'The file is empty'],
      config,
    )
}
