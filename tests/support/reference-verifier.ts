import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'

/**
 * A second verifier of offers, written from the description of the manifest alone (DSSE v1, RFC 8785, the rules of releases) and
 * with another cryptography than the product: what it refuses must never be offered.
 */
export type ReferenceKey = { pem: string; algorithm: 'ed25519' | 'ecdsa-p256'; revoked: boolean }
type ReferenceDevice = {
  now: number
  /** Null if the device does not know it yet. */
  projectId: string | null
  hardwareModel: string
  /** What the device runs, and the older versions that the manifest of that release lists. */
  installed: { version: number; mayReturnTo: readonly number[] } | null
  rollbackVersion: number
  /** The keys of its configuration. */
  keys: readonly ReferenceKey[]
}
export type ReferenceManifest = {
  id: string
  project_id: string
  version: number
  hardware_models: string[]
  min_installed_version: number | null
  rollback_version: number | null
  expires_at: string
  allow_downgrade_from: number[]
  may_return_to?: number[]
}

class Wrong extends Error {}
const demand = (condition: boolean, rule: string): void => {
  if (!condition) throw new Wrong(rule)
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const record = (value: unknown, rule: string, names: readonly string[], optional: readonly string[] = []) => {
  if (!isRecord(value)) throw new Wrong(`${rule} is an object`)
  for (const name of names) demand(Object.hasOwn(value, name), `${rule} has ${name}`)
  for (const name of Object.keys(value)) demand(names.includes(name) || optional.includes(name), `${rule} has no ${name}`)
  return value
}
const list = (value: unknown, rule: string, min: number, max: number): unknown[] => {
  if (!Array.isArray(value) || value.length < min || value.length > max) throw new Wrong(`${rule} has ${min} to ${max} items`)
  return value
}
const whole = (value: unknown, min: number, rule: string) =>
  demand(typeof value === 'number' && Number.isSafeInteger(value) && value >= min, rule)
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const hash = (value: unknown, rule: string) => demand(typeof value === 'string' && /^[0-9a-f]{64}$/.test(value), rule)

const decode = (value: unknown, rule: string): Buffer => {
  const bytes = Buffer.from(textOf(value), 'base64')
  demand(typeof value === 'string' && bytes.toString('base64') === value, `${rule} is base 64`)
  return bytes
}

/** RFC 8785 for what a manifest holds: no fractions, so numbers are written as integers. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  demand(typeof value !== 'string' || value.isWellFormed(), 'a text has whole characters')
  if (!isRecord(value)) return JSON.stringify(value)
  const fields = Object.keys(value).toSorted((a, b) => (a < b ? -1 : 1))
  return `{${fields.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`
}

const fingerprint = (key: KeyObject) =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')

const isSigned = (payload: Buffer, type: string, keyid: string, sig: Buffer, keys: readonly ReferenceKey[]) => {
  const signed = Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `), payload])
  return keys.some(({ pem, algorithm, revoked }) => {
    const key = createPublicKey(pem)
    if (revoked || fingerprint(key) !== keyid || sig.length !== 64) return false
    return verify(algorithm === 'ed25519' ? null : 'sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, sig)
  })
}

const fields = [
  'schema',
  'id',
  'project_id',
  'name',
  'version',
  'display_version',
  'type',
  'hardware_models',
  'min_installed_version',
  'rollback_version',
  'created_at',
  'expires_at',
  'reboot',
  'hooks',
  'files',
  'allow_downgrade_from',
]

type File = { name: string; kind: string; sha256: string; place: string | null }

const readFile = (value: unknown): File => {
  const file = record(value, 'a file', ['name', 'kind', 'size', 'sha256', 'install_location', 'mode', 'path'])
  demand(typeof file['name'] === 'string' && !/^\.|\/|^$/.test(file['name']), 'a file has a name and no path')
  whole(file['size'], 1, 'a file has a size')
  demand(Number(file['size']) <= 3_758_096_384, 'a file has at most 3.5 GiB')
  hash(file['sha256'], 'a file has its hash')
  const place = file['install_location']
  const parts = typeof place === 'string' ? place.split('/').slice(1) : []
  const isPlace = typeof place === 'string' && place.startsWith('/') && !parts.some((part) => ['', '.', '..'].includes(part))
  demand(place === null || isPlace, 'a file has an absolute place')
  demand(!['proc', 'sys', 'dev'].includes(parts[0] ?? ''), 'a place is not in a directory of the kernel')
  demand(!/\p{Cc}/u.test(`${textOf(place)}${textOf(file['name'])}`), 'names have no control characters')
  demand(
    file['mode'] === null || (typeof file['mode'] === 'string' && /^0[0-7]{3}$/.test(file['mode'])),
    'a mode sets no special bits',
  )
  demand(/^\/device\/v1\/assets\/[0-9A-Z]{26}$/.test(textOf(file['path'])), 'a file comes from this server')
  const name = file['name']
  return { name: textOf(name), kind: textOf(file['kind']), sha256: textOf(file['sha256']), place: isPlace ? place : null }
}

const isDistinct = (values: readonly string[]) => new Set(values).size === values.length
const count = (files: readonly File[], kind: string) => files.filter((file) => file.kind === kind).length

/** The rules for the files of a release among themselves. */
const checkFiles = (files: readonly File[], type: unknown, hooks: readonly unknown[]) => {
  const places = files.flatMap(({ place }) => place ?? [])
  demand(isDistinct(files.map(({ name }) => name)) && isDistinct(places), 'names and places are unique')
  demand(!places.some((place) => places.some((other) => other.startsWith(`${place}/`))), 'no place is inside another')
  const needed = files.filter(({ kind }) => kind === 'payload' || kind === 'archive')
  demand(!needed.some(({ place }) => place === null), 'a payload and an archive have a place')
  for (const hook of hooks)
    demand(hook === null || files.some(({ kind, sha256 }) => kind === 'hook' && sha256 === hook), 'a hook is one of the files')
  const counts = {
    file: count(files, 'payload') > 0,
    zip_archive: count(files, 'archive') === 1,
    rootfs: count(files, 'rootfs') === 1,
  }
  demand(
    Object.entries(counts).some(([name, fits]) => name === type && fits),
    'the release has what its type installs',
  )
}

const readManifest = (payload: Buffer): ReferenceManifest => {
  const text = payload.toString('utf8')
  demand(Buffer.from(text, 'utf8').equals(payload), 'the payload is UTF-8')
  const value: unknown = JSON.parse(text)
  demand(canonical(value) === text, 'the payload is canonical')
  const manifest = record(value, 'the manifest', fields, ['may_return_to'])
  demand(manifest['schema'] === 1, 'the schema is 1')
  whole(manifest['version'], 1, 'the version is a whole number')
  for (const name of ['min_installed_version', 'rollback_version'])
    if (manifest[name] !== null) whole(manifest[name], 0, `${name} is a whole number`)
  for (const model of list(manifest['hardware_models'], 'hardware_models', 1, 64))
    demand(typeof model === 'string', 'a model is a text')
  const files = list(manifest['files'], 'files', 1, 64).map(readFile)
  for (const version of list(manifest['allow_downgrade_from'], 'allow_downgrade_from', 0, 1000)) whole(version, 1, 'a version')
  for (const version of list('may_return_to' in manifest ? manifest['may_return_to'] : [], 'may_return_to', 0, 1000)) {
    whole(version, 1, 'a version')
    demand(Number(version) < Number(manifest['version']), 'a release returns to older versions')
  }
  const hooks = record(manifest['hooks'], 'hooks', ['pre_install', 'post_install', 'post_reboot'])
  checkFiles(files, manifest['type'], Object.values(hooks))
  demand(/^\d{4}-\d\d-\d\dT/.test(textOf(manifest['expires_at'])), 'the expiry is a time')
  const times = [manifest['created_at'], manifest['expires_at']].map((time) => Date.parse(textOf(time)))
  demand(times.every(Number.isFinite) && Number(times[0]) < Number(times[1]), 'it expires after it was made')
  // Every field that is read below has been checked.
  return value as ReferenceManifest
}

const checkDevice = (
  manifest: ReferenceManifest,
  { now, projectId, hardwareModel, installed, rollbackVersion }: ReferenceDevice,
) => {
  demand(now < Date.parse(manifest.expires_at), 'it has not expired')
  demand(projectId === null || manifest.project_id === projectId, 'it is for this project')
  demand(manifest.hardware_models.includes(hardwareModel), 'it is for this hardware')
  demand((installed?.version ?? 0) >= (manifest.min_installed_version ?? 0), 'the installed version is high enough')
  const isNewer = installed === null || manifest.version > installed.version
  const isListed =
    installed !== null &&
    (installed.mayReturnTo.includes(manifest.version) || manifest.allow_downgrade_from.includes(installed.version))
  demand(isNewer || isListed, 'the version is newer, or may be returned to')
  demand((manifest.rollback_version ?? 0) >= rollbackVersion, 'the rollback number is high enough')
}

/** The manifest of an offer that the device installs; throws with the rule that the offer breaks. */
export const referenceVerify = (offer: string, device: ReferenceDevice): ReferenceManifest => {
  const envelope = record(JSON.parse(offer), 'the envelope', ['payload', 'payloadType', 'signatures'])
  demand(envelope['payloadType'] === 'application/vnd.teasel.manifest+json', 'the payload is a manifest')
  const payload = decode(envelope['payload'], 'the payload')
  demand(payload.length <= 1_048_576, 'the payload has at most 1 MiB')
  const signatures = list(envelope['signatures'], 'signatures', 1, 16).map((value) => {
    const { keyid, sig } = record(value, 'a signature', ['keyid', 'sig'])
    hash(keyid, 'a key id is a hash')
    return { keyid: textOf(keyid), sig: decode(sig, 'a signature') }
  })
  const good = signatures.some(({ keyid, sig }) => isSigned(payload, textOf(envelope['payloadType']), keyid, sig, device.keys))
  demand(good, 'a trusted key that was not revoked has signed it')
  const manifest = readManifest(payload)
  checkDevice(manifest, device)
  return manifest
}
