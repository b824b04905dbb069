import type { KeyObject, X509Certificate } from 'node:crypto'
import type { Check } from '../../../../contract/secure-boot/bundles'
import type { ArtifactRole } from '../../../../contract/secure-boot/platforms'
import { algorithmOf, fingerprintOf, readCertificates, readPublicKeys } from '../formats/public-keys'
import { type ByteRange, FormatError, type Reader, readerOf } from '../formats/reader'
import type { ArtifactInput, BundleFacts, ParsedArtifact } from '../types'
import { findPublishedKey } from './published-keys'

export type Part = Omit<ArtifactInput, 'bytes'> & { reader: Reader }
type Level = Check['level']
type Fact = { name: string; value: string; offset: number | null }
type Signature = { algorithm: string; key: KeyObject | null; verified: boolean }

/** Collects what the checks of one bundle find. */
export type Findings = {
  bundle: BundleFacts
  parts: readonly Part[]
  all(...roles: ArtifactRole[]): Part[]
  first(...roles: ArtifactRole[]): Part | undefined
  add(level: Level, rule: string, reason: string, part?: Part, range?: ByteRange): void
  /** One finding of the rule: ok with the first text, or an error (or warning) with the second. */
  rule(rule: string, passes: boolean, texts: [ok: string, broken: string], part: Part, range?: ByteRange, level?: Level): boolean
  /** The result; a broken format is an error of rule `<what>_<rule of the format>`, and then it is undefined. */
  attempt<T>(what: string, part: Part, read: () => Promise<T>): Promise<T | undefined>
  /** What was read from the file, for people. */
  describe(part: Part, format: string, facts: Fact[]): void
  signed(part: Part, signature: Signature): void
  /** Notes when the certificates end that a file has. */
  certified(part: Part, certificates: readonly X509Certificate[]): void
  /** A warning if the private half of the key is published. */
  checkKey(part: Part, key: KeyObject | null, range?: ByteRange): void
  /** Public keys that the bundle names or has as files of the role `certificate`. */
  keys: readonly KeyObject[]
  checks: Check[]
  parsed: Map<string, ParsedArtifact>
}

const place = ({ offset, length }: ByteRange) => (length > 1 ? `bytes ${offset} to ${offset + length - 1}` : `byte ${offset}`)

const maxKeyBytes = 65_536

const readKeyFiles = async (parts: readonly Part[]): Promise<{ part: Part; bytes: Buffer }[]> => {
  const files = parts.filter(({ role, reader }) => role === 'certificate' && reader.size <= maxKeyBytes)
  return Promise.all(
    files.map(async (part) => ({ part, bytes: await part.reader.bytes(0, part.reader.size, 'The certificate') })),
  )
}

/** Undefined for a certificate whose date cannot be read. */
const endOf = ({ validTo }: X509Certificate): Date | undefined => {
  const date = new Date(validTo)
  return Number.isNaN(date.getTime()) ? undefined : date
}

export const createFindings = async (bundle: BundleFacts, artifacts: readonly ArtifactInput[]): Promise<Findings> => {
  const parts = artifacts.map(({ bytes, ...facts }) => ({ ...facts, reader: readerOf(bytes) }))
  const checks: Check[] = []
  const empty: ParsedArtifact = { parsed: null, signature: null, certificateExpiresAt: null }
  const parsed = new Map<string, ParsedArtifact>(parts.map(({ id }) => [id, empty]))
  const reported = new Set<string>()

  const add: Findings['add'] = (level, rule, reason, part, range) => {
    const id = `${bundle.platform}.${rule}`
    const where = part ? `${part.fileName}${range ? `, ${place(range)}` : ''}: ` : ''
    const text = `${where}${reason} (${id})`.slice(0, 1000)
    checks.push({ id, level, text, reason, artifact_id: part?.id ?? null, range: range ?? null })
  }
  const certified: Findings['certified'] = ({ id }, certificates) => {
    const entry = parsed.get(id) ?? empty
    const ends = certificates.flatMap((one) => endOf(one) ?? []).concat(entry.certificateExpiresAt ?? [])
    const [first = null] = ends.toSorted((a, b) => a.getTime() - b.getTime())
    parsed.set(id, { ...entry, certificateExpiresAt: first })
  }
  const keyFiles = await readKeyFiles(parts)
  for (const { part, bytes } of keyFiles) certified(part, readCertificates(bytes))
  const named = bundle.keys.filter(({ revoked }) => !revoked).map(({ public_key_pem }) => Buffer.from(public_key_pem))
  const all: Findings['all'] = (...roles) => parts.filter(({ role }) => roles.includes(role))

  return {
    bundle,
    parts,
    checks,
    parsed,
    keys: [...named, ...keyFiles.map(({ bytes }) => bytes)].flatMap(readPublicKeys),
    add,
    all,
    first: (...roles) => all(...roles)[0],
    rule: (rule, passes, [ok, broken], part, range, level = 'error') => {
      add(passes ? 'ok' : level, rule, passes ? ok : broken, part, range)
      return passes
    },
    attempt: async (what, part, read) => {
      try {
        return await read()
      } catch (error) {
        if (!(error instanceof FormatError)) throw error
        const offset = Math.max(0, Math.min(error.offset, part.reader.size))
        add('error', `${what}_${error.rule}`, error.message, part, { offset, length: error.length })
        return undefined
      }
    },
    describe: (part, format, facts) => {
      const entry = parsed.get(part.id) ?? empty
      const limited = facts.slice(0, 64).map((fact) => ({ ...fact, value: fact.value.slice(0, 512) }))
      parsed.set(part.id, { ...entry, parsed: { format, facts: [...(entry.parsed?.facts ?? []), ...limited] } })
    },
    signed: (part, { algorithm, key, verified }) => {
      const fingerprint = key && fingerprintOf(key)
      const keyId = bundle.keys.find((it) => it.fingerprint === fingerprint)?.key_id ?? null
      parsed.set(part.id, { ...(parsed.get(part.id) ?? empty), signature: { algorithm, key_id: keyId, verified } })
    },
    certified,
    checkKey: (part, key, range) => {
      if (!key) return
      const fingerprint = fingerprintOf(key)
      const found = findPublishedKey(fingerprint)
      if (!found || reported.has(`${part.id} ${fingerprint}`)) return
      reported.add(`${part.id} ${fingerprint}`)
      const reason = `The key (${algorithmOf(key)}) is the published test key ${found.name}: anyone can sign with it (${found.source})`
      add('warning', 'test_key', reason, part, range)
    },
  }
}
