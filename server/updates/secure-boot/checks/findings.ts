import type { KeyObject, X509Certificate } from 'node:crypto'
import type { Check } from '../../../../contract/updates/secure-boot/bundles'
import type { ArtifactRole } from '../../../../contract/updates/secure-boot/platforms'
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
  /** What was found, at most `maxAlike` of a kind. */
  list(): Check[]
  parsed: Map<string, ParsedArtifact>
}

const place = ({ offset, length }: ByteRange) => (length > 1 ? `bytes ${offset} to ${offset + length - 1}` : `byte ${offset}`)

const maxKeyBytes = 65_536
/** The database stores no NUL, and no half of a pair. */
const storable = (text: string, length: number) => text.slice(0, length).replaceAll('\0', ' ').toWellFormed()
const [maxText, maxFacts, maxFactText] = [1000, 64, 512]
/** So many findings of one rule, level and file are listed; the others are counted. */
const maxAlike = 50

/** The findings, those beyond `maxAlike` of one kind as one that counts them: their level stays. */
const summarize = (checks: readonly Check[]): Check[] => {
  const kindOf = ({ id, level, artifact_id }: Check) => JSON.stringify([id, level, artifact_id])
  const counts = new Map<string, number>()
  for (const check of checks) counts.set(kindOf(check), (counts.get(kindOf(check)) ?? 0) + 1)
  const listed = new Map<string, number>()
  return checks.flatMap((check) => {
    const kind = kindOf(check)
    const n = (listed.get(kind) ?? 0) + 1
    listed.set(kind, n)
    if (n <= maxAlike) return check
    if (n > maxAlike + 1) return []
    const reason = `${(counts.get(kind) ?? 0) - maxAlike} more findings of this rule are not listed`
    return { ...check, text: `${reason} (${check.id})`, reason, range: null }
  })
}

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
  const described = new Map<string, number>()

  const add: Findings['add'] = (level, rule, reason, part, range) => {
    const id = `${bundle.platform}.${rule}`
    const where = part ? `${part.fileName}${range ? `, ${place(range)}` : ''}: ` : ''
    checks.push({
      id,
      level,
      text: storable(`${where}${reason} (${id})`, maxText),
      reason: storable(reason, maxText),
      artifact_id: part?.id ?? null,
      // A whole object of a format may be given.
      range: range ? { offset: range.offset, length: range.length } : null,
    })
  }
  const certified: Findings['certified'] = ({ id }, certificates) => {
    const entry = parsed.get(id) ?? empty
    const ends = certificates.flatMap((one) => endOf(one) ?? []).concat(entry.certificateExpiresAt ?? [])
    const [first = null] = ends.toSorted((a, b) => a.getTime() - b.getTime())
    parsed.set(id, { ...entry, certificateExpiresAt: first })
  }
  for (const part of parts)
    if (part.role === 'certificate' && part.reader.size > maxKeyBytes)
      add('error', 'certificate_too_large', `The file has more than ${maxKeyBytes} bytes: no key or certificate was read`, part)
  const keyFiles = await readKeyFiles(parts)
  for (const { part, bytes } of keyFiles) certified(part, readCertificates(bytes))
  const named = bundle.keys.filter(({ revoked }) => !revoked).map(({ public_key_pem }) => Buffer.from(public_key_pem))
  const all: Findings['all'] = (...roles) => parts.filter(({ role }) => roles.includes(role))

  return {
    bundle,
    parts,
    list: () => summarize(checks),
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
      const count = (described.get(part.id) ?? 0) + facts.length
      described.set(part.id, count)
      const all = [...(entry.parsed?.facts.slice(0, maxFacts) ?? []), ...facts.slice(0, maxFacts)]
      const shown: Fact[] = all.slice(0, maxFacts).map(({ name, value, offset }) => ({
        name: storable(name, maxFactText),
        value: storable(value, maxFactText),
        offset,
      }))
      if (count > maxFacts) shown.push({ name: 'Not shown', value: `${count - maxFacts} more`, offset: null })
      parsed.set(part.id, { ...entry, parsed: { format, facts: shown } })
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
