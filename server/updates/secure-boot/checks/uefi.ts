import type { X509Certificate } from 'node:crypto'
import { subjectOf } from '../formats/cms'
import { algorithmOf } from '../formats/public-keys'
import {
  isTestName,
  isTrusted,
  parsePe,
  parseVariable,
  type UefiVariable,
  variableSigner,
  verifyAuthenticode,
} from '../formats/uefi'
import type { Findings, Part } from './findings'

const names = { uefi_pk: 'PK', uefi_kek: 'KEK', uefi_db: 'db', uefi_dbx: 'dbx' } as const
type VariableRole = keyof typeof names

const certificatesOf = (variable: UefiVariable | undefined) =>
  variable?.lists.certificates.map(({ certificate }) => certificate) ?? []

const readVariable = async (
  findings: Findings,
  role: VariableRole,
): Promise<{ part: Part; variable: UefiVariable } | undefined> => {
  const part = findings.first(role)
  const variable = part && (await findings.attempt(role, part, () => parseVariable(part.reader)))
  if (!part || !variable) return undefined
  const { certificates, hashes } = variable.lists
  findings.describe(part, variable.authentication ? 'UEFI authenticated variable' : 'EFI signature list', [
    ...certificates.map(({ certificate, offset }) => ({
      name: 'Certificate',
      value: subjectOf(certificate),
      offset,
    })),
    { name: 'Hashes', value: String(hashes), offset: null },
  ])
  findings.certified(part, certificatesOf(variable))
  for (const { certificate, offset } of certificates) {
    const range = { offset, length: certificate.raw.length }
    if (isTestName(certificate)) {
      const reason = `The certificate ${subjectOf(certificate)} is marked as a test certificate`
      findings.add(
        'warning',
        'test_key',
        `${reason}: private keys of such certificates are published (CVE-2024-8105)`,
        part,
        range,
      )
    } else findings.checkKey(part, certificate.publicKey, range)
  }
  return { part, variable }
}

const checkSigner = async (
  findings: Findings,
  role: VariableRole,
  read: { part: Part; variable: UefiVariable } | undefined,
  by: readonly X509Certificate[],
  whose: string,
) => {
  if (!read) return
  const { part, variable } = read
  const name = names[role]
  if (!variable.authentication) {
    findings.add('warning', `${role}_unsigned`, `${name} is a plain signature list: it can be written in setup mode only`, part)
    return
  }
  const keys = by.map(({ publicKey }) => publicKey)
  const key = await variableSigner(part.reader, variable, name, keys)
  const range = { offset: variable.authentication.offset, length: 4 }
  findings.rule(
    `${role}_signature`,
    key !== undefined,
    [`${name} is signed with ${whose}`, `${name} is not signed with ${whose}`],
    part,
    range,
  )
  findings.signed(part, { algorithm: key ? algorithmOf(key) : 'unknown', key: key ?? null, verified: key !== undefined })
}

const checkProgram = async (findings: Findings, part: Part, trusted: readonly X509Certificate[] | undefined) => {
  const image = await findings.attempt('pe', part, () => parsePe(part.reader))
  if (!image) return
  findings.rule(
    'pe_subsystem',
    image.isEfi,
    [`The PE image is an EFI program for ${image.machine}`, 'The PE image is no EFI program'],
    part,
    { offset: 0, length: 2 },
  )
  findings.describe(part, 'PE image', [
    { name: 'Machine', value: image.machine, offset: null },
    { name: 'Signatures', value: String(image.signatures.length), offset: null },
  ])
  if (image.signatures.length === 0)
    findings.add('error', 'authenticode_missing', 'The image has no Authenticode signature', part)
  const results = await Promise.all(image.signatures.map((signature) => verifyAuthenticode(part.reader, image, signature)))
  const [first] = image.signatures
  const range = first && { offset: first.offset, length: 4 }
  const digests = results.filter(({ digest }) => digest)
  const valid = digests.flatMap(({ certificate }) => certificate ?? [])
  if (first && digests.length === 0)
    findings.add('error', 'authenticode_digest', `The ${first.hash} of the image does not match its signature`, part, range)
  else if (first)
    findings.rule(
      'authenticode_signature',
      valid.length > 0,
      ['The Authenticode signature is valid', 'The Authenticode signature is not valid'],
      part,
      range,
    )
  const signer = valid.find((it) => trusted && isTrusted(it, trusted)) ?? valid[0]
  if (signer && trusted)
    findings.rule(
      'authenticode_trust',
      isTrusted(signer, trusted),
      ['A certificate of db trusts the signer', 'No certificate of db is or issued that of the signer'],
      part,
      range,
    )
  if (first)
    findings.signed(part, {
      algorithm: signer ? algorithmOf(signer.publicKey) : 'unknown',
      key: signer?.publicKey ?? null,
      verified: valid.length > 0,
    })
  findings.certified(part, valid)
  if (signer) findings.checkKey(part, signer.publicKey, range)
}

export const checkUefi = async (findings: Findings): Promise<void> => {
  const pk = await readVariable(findings, 'uefi_pk')
  const kek = await readVariable(findings, 'uefi_kek')
  const db = await readVariable(findings, 'uefi_db')
  const dbx = await readVariable(findings, 'uefi_dbx')
  const [platform, exchange] = [certificatesOf(pk?.variable), certificatesOf(kek?.variable)]
  if (pk)
    findings.rule(
      'uefi_pk_count',
      platform.length === 1,
      ['PK has one certificate', `PK has ${platform.length} certificates, expected one`],
      pk.part,
    )
  if (pk && platform.length === 1) await checkSigner(findings, 'uefi_pk', pk, platform, 'itself')
  if (pk) await checkSigner(findings, 'uefi_kek', kek, platform, 'PK')
  if (kek) {
    await checkSigner(findings, 'uefi_db', db, [...exchange, ...platform], 'a certificate of KEK')
    await checkSigner(findings, 'uefi_dbx', dbx, [...exchange, ...platform], 'a certificate of KEK')
  }
  for (const part of findings.all('second_stage', 'kernel')) await checkProgram(findings, part, db && certificatesOf(db.variable))
}
