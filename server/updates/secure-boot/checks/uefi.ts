import type { X509Certificate } from 'node:crypto'
import { subjectOf } from '../formats/cms'
import { algorithmOf } from '../formats/public-keys'
import {
  isTestName,
  isTrusted,
  parsePe,
  parseVariable,
  readVendorCertificates,
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
  const signer = await variableSigner(part.reader, variable, name, by)
  const key = signer?.key
  const range = { offset: variable.authentication.offset, length: 4 }
  findings.rule(
    `${role}_signature`,
    key !== undefined,
    [
      signer?.issued
        ? `${name} is signed with ${subjectOf(signer.issued)}, which ${whose} issued`
        : `${name} is signed with ${whose}`,
      `${name} is not signed with ${whose}, nor with a certificate that it issued`,
    ],
    part,
    range,
  )
  findings.signed(part, { algorithm: key ? algorithmOf(key) : 'unknown', key: key ?? null, verified: key !== undefined })
}

type PeFile = NonNullable<Awaited<ReturnType<typeof parsePe>>>
type Program = {
  part: Part
  image: PeFile
  results: { digest: boolean; certificate: X509Certificate | undefined; others: readonly X509Certificate[] }[]
  /** What shim trusts beside db; undefined for other programs. */
  vendor: X509Certificate[] | undefined
}

const readProgram = async (findings: Findings, part: Part): Promise<Program | undefined> => {
  const image = await findings.attempt('pe', part, () => parsePe(part.reader))
  if (!image) return undefined
  const results = []
  for (const signature of image.signatures)
    results.push({ ...(await verifyAuthenticode(part.reader, image, signature)), others: signature.data.certificates })
  const vendor = await findings.attempt('shim', part, () => readVendorCertificates(part.reader, image))
  return { part, image, results, vendor }
}

/** The valid signature whose signer is trusted. */
const findTrusted = ({ results }: Program, trusted: readonly X509Certificate[]) =>
  results.find(({ digest, certificate, others }) => digest && certificate && isTrusted(certificate, others, trusted))?.certificate

const checkTrust = (
  findings: Findings,
  program: Program,
  db: readonly X509Certificate[],
  shims: readonly Program[],
  range: { offset: number; length: number } | undefined,
) => {
  const { part } = program
  const shim = findTrusted(program, db) ? undefined : shims.find(({ vendor }) => findTrusted(program, vendor ?? []))
  if (shim)
    findings.add(
      'ok',
      'authenticode_shim',
      `Trusted by shim's own certificate, not by db: ${shim.part.fileName} and what it starts verify it, the firmware does not`,
      part,
      range,
    )
  else
    findings.rule(
      'authenticode_trust',
      findTrusted(program, db) !== undefined,
      [
        'A certificate of db trusts the signer',
        'No certificate of db is that of the signer or issued it, nor does a shim of the bundle that db trusts have one',
      ],
      part,
      range,
    )
}

const checkProgram = (
  findings: Findings,
  program: Program,
  db: readonly X509Certificate[] | undefined,
  shims: readonly Program[],
) => {
  const { part, image, results, vendor } = program
  findings.rule(
    'pe_subsystem',
    image.isEfi,
    [`The PE image is an EFI program for ${image.machine}`, 'The PE image is no EFI program'],
    part,
    { offset: 0, length: 2 },
  )
  findings.describe(part, vendor ? 'PE image (shim)' : 'PE image', [
    { name: 'Machine', value: image.machine, offset: null },
    { name: 'Signatures', value: String(image.signatures.length), offset: null },
    ...(vendor ?? []).map((it) => ({ name: 'Certificate of shim', value: subjectOf(it), offset: null })),
  ])
  if (image.signatures.length === 0)
    findings.add('error', 'authenticode_missing', 'The image has no Authenticode signature', part)
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
  if (valid.length > 0 && db) checkTrust(findings, program, db, shims, range)
  const signer = findTrusted(program, [...(db ?? []), ...shims.flatMap((shim) => shim.vendor ?? [])]) ?? valid[0]
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
  const programs: Program[] = []
  for (const part of findings.all('second_stage', 'kernel')) programs.push(...[(await readProgram(findings, part)) ?? []].flat())
  const trusted = db && certificatesOf(db.variable)
  // Only the firmware vouches for a shim.
  const shims = programs.filter((program) => program.vendor && findTrusted(program, trusted ?? []))
  for (const program of programs) checkProgram(findings, program, trusted, shims)
}
