import type { KeyObject } from 'node:crypto'
import { subjectOf } from '../formats/cms'
import { isFdt } from '../formats/fdt'
import { parseFit } from '../formats/fit'
import { algorithmOf } from '../formats/public-keys'
import { type K3Image, parseK3, startsWithCertificate } from '../formats/ti-k3'
import { checkRollback } from './common'
import type { Findings, Part } from './findings'

const isSelfSigned = (image: K3Image) => {
  try {
    return image.certificate.verify(image.certificate.publicKey)
  } catch {
    return false
  }
}

const checkSigned = async (findings: Findings, part: Part, at: number, keys: KeyObject[]) => {
  const image = await findings.attempt('x509', part, () => parseK3(part.reader, at))
  if (!image) return
  const { certificate, length, parts, softwareRevision } = image
  const range = { offset: at, length }
  const key = certificate.publicKey
  keys.push(key)
  const valid = isSelfSigned(image)
  findings.rule(
    'certificate_signature',
    valid,
    ['The certificate is signed with its key', 'The signature of the certificate is not valid'],
    part,
    range,
  )
  findings.signed(part, { algorithm: algorithmOf(key), key, verified: valid })
  findings.checkKey(part, key, range)
  findings.certified(part, [certificate])
  if (parts.length === 0) findings.add('error', 'integrity_missing', 'The certificate has no hash of the image', part, range)
  for (const it of parts) {
    const computed = await findings.attempt('image', part, () => part.reader.digest(it.hash, [it], 'The image'))
    if (computed)
      findings.rule(
        'image_hash',
        computed.equals(it.stored),
        [`The ${it.hash} of the image matches`, `The ${it.hash} of the image does not match the certificate`],
        part,
        it,
      )
  }
  if (image.opensDebug) findings.add('warning', 'debug_open', 'The certificate opens JTAG access (debugType 4)', part, range)
  findings.describe(part, 'TI K3 image', [
    { name: 'Certificate subject', value: subjectOf(certificate), offset: at },
    { name: 'SWREV', value: softwareRevision === null ? 'none' : String(softwareRevision), offset: at },
  ])
  if (softwareRevision === null)
    findings.add('error', 'swrev_missing', 'The certificate has no software revision (1.3.6.1.4.1.294.1.3)', part, range)
  else checkRollback(findings, part, softwareRevision, 'SWREV', range)
}

/** A FIT whose images each start with a certificate. */
const checkStage = async (findings: Findings, part: Part, keys: KeyObject[]) => {
  if (!(await isFdt(part.reader))) return checkSigned(findings, part, 0, keys)
  const fit = await findings.attempt('fit', part, () => parseFit(part.reader))
  let signed = 0
  for (const { data } of fit?.images ?? [])
    if (data && (await startsWithCertificate(part.reader, data.offset))) {
      signed++
      await checkSigned(findings, part, data.offset, keys)
    }
  if (fit)
    findings.rule(
      'stage_signed',
      signed > 0,
      [
        `${signed} of ${fit.images.length} images start with a certificate`,
        'No image of the FIT starts with an X.509 certificate',
      ],
      part,
      { offset: 0, length: 4 },
    )
}

export const checkTiK3 = async (findings: Findings): Promise<void> => {
  const keys: KeyObject[] = []
  for (const part of findings.all('first_stage', 'second_stage', 'fit_image')) await checkStage(findings, part, keys)
  const [first] = keys
  const part = findings.first('first_stage')
  if (first && part)
    findings.rule(
      'same_key',
      keys.every((key) => key.equals(first)),
      ['All stages are signed with the same key', 'The stages are signed with different keys'],
      part,
      undefined,
      'warning',
    )
  const writer = findings.first('key_writer')
  if (writer) {
    const image = await findings.attempt('key_writer', writer, () => parseK3(writer.reader))
    if (image)
      findings.add(
        'ok',
        'key_writer',
        'The key writer starts with a certificate. What it writes is encrypted and not checked',
        writer,
      )
  } else
    findings.add(
      'ok',
      'key_writer_absent',
      'There is no key writer: the plan is for parts whose keys are written already (HS-SE)',
    )
}
