import canonicalize from 'canonicalize'
import { enums, type Infer, is, literal, nullable, object, optional, refine, size } from 'superstruct'
import { maxUploadBytes } from '../core/limits'
import { boundedList } from '../core/bounded'
import { boundedInteger, pattern, text } from '../core/rules'
import { Id, Sha256, Timestamp } from '../core/shapes'
import { type Bytes, fromBase64, fromUtf8, utf8 } from './bytes'
import { Envelope, envelopeOf, isSignatureOf, preAuthentication, type Signature } from './dsse'
import { AssetName, assetKinds, FileMode, InstallLocation, rebootRules, releaseTypes } from './manifest-fields'
import { consistent } from './manifest-rules'
import type { PublicKey } from './public-key'
import { type Refused, refuse } from './refusals'

export const payloadType = 'application/vnd.teasel.manifest+json'
const maxManifestBytes = 1_048_576

const version = boundedInteger('Version', 1)
const versions = boundedList(version, 1000)
const hookHash = nullable(Sha256)

/** One file of a release in the signed manifest. `path` is the URL path of its bytes, at the server's own origin. */
export const ManifestFile = object({
  name: AssetName,
  kind: enums(assetKinds),
  size: boundedInteger('Size', 1, maxUploadBytes),
  sha256: Sha256,
  install_location: nullable(InstallLocation),
  mode: nullable(FileMode),
  path: pattern('path', /^\/device\/v1\/assets\/[0-9A-HJKMNP-TV-Z]{26}$/, 'A path of the device API'),
})
export type ManifestFile = Infer<typeof ManifestFile>

/** The signed content. Unknown fields are refused: a device must understand everything that was signed. */
export const Manifest = refine(
  object({
    schema: literal(1),
    id: Id,
    project_id: Id,
    name: text('Name', { max: 256 }),
    version,
    display_version: nullable(text('Display version', { max: 64 })),
    type: enums(releaseTypes),
    hardware_models: size(boundedList(pattern('hardware_model', /^[\x21-\x7e]{1,64}$/, 'A model id'), 64), 1, 64),
    min_installed_version: nullable(boundedInteger('Minimum installed version', 0)),
    rollback_version: nullable(boundedInteger('Rollback version', 0)),
    created_at: Timestamp,
    expires_at: Timestamp,
    reboot: enums(rebootRules),
    hooks: object({ pre_install: hookHash, post_install: hookHash, post_reboot: hookHash }),
    files: size(boundedList(ManifestFile, 64), 1, 64),
    allow_downgrade_from: versions,
    /** Older versions that a device may install over this one. Missing in manifests signed before the list existed. */
    may_return_to: optional(versions),
  }),
  'consistent',
  consistent,
)
export type Manifest = Infer<typeof Manifest>

/** The bytes that are hashed, signed and stored: RFC 8785 canonical JSON in UTF-8. */
export const manifestBytes = (manifest: Manifest): Bytes => utf8(canonicalize(manifest) ?? '')

/** The bytes that a signing command or page signs for this payload. */
export const bytesToSign = (payload: Uint8Array): Bytes => preAuthentication(payloadType, payload)

/** The envelope for devices. */
export const createEnvelope = (payload: Uint8Array, signatures: readonly Signature[]): Envelope =>
  envelopeOf(payloadType, payload, signatures)

/** Parses payload bytes; refuses those that are not the canonical form of a manifest. Duplicate keys are not canonical either. */
export const readManifest = (payload: Uint8Array): { manifest: Manifest } | { wrong: 'not_canonical' | 'schema' } => {
  let value: unknown
  try {
    const source = fromUtf8(payload)
    value = JSON.parse(source)
    if (canonicalize(value) !== source) return { wrong: 'not_canonical' }
  } catch {
    return { wrong: 'not_canonical' }
  }
  return is(value, Manifest) ? { manifest: value } : { wrong: 'schema' }
}

export type TrustedKey = PublicKey & { revoked?: boolean }
export type Opened = { ok: true; manifest: Manifest; key: TrustedKey; payload: Bytes }

/**
 * The payload of an envelope of one type, once a trusted key has signed it. One valid signature by one trusted key is enough; an
 * unknown signature beside it changes nothing. Fails closed: no keys, no payload.
 */
export const openPayload = async (
  envelope: unknown,
  type: string,
  keys: readonly TrustedKey[],
): Promise<{ ok: true; key: TrustedKey; payload: Bytes } | Refused> => {
  if (!is(envelope, Envelope)) return refuse('envelope_malformed')
  if (envelope.payloadType !== type) return refuse('payload_type')
  if (envelope.payload.length > maxManifestBytes * 1.4) return refuse('envelope_malformed')
  const payload = fromBase64(envelope.payload)
  if (!payload || payload.length > maxManifestBytes) return refuse('envelope_malformed')
  const verdict = await signerOf(envelope, payload, keys)
  return 'code' in verdict ? verdict : { ok: true, key: verdict, payload }
}

/** Verifies the signatures of an envelope, and only then parses its content. */
export const openEnvelope = async (envelope: unknown, keys: readonly TrustedKey[]): Promise<Opened | Refused> => {
  const opened = await openPayload(envelope, payloadType, keys)
  if (!opened.ok) return opened
  const read = readManifest(opened.payload)
  return 'wrong' in read ? refuse(read.wrong) : { ...opened, manifest: read.manifest }
}

const signerOf = async (envelope: Envelope, payload: Bytes, keys: readonly TrustedKey[]): Promise<TrustedKey | Refused> => {
  let refused = refuse('key_unknown')
  for (const { keyid, sig } of envelope.signatures) {
    const key = keys.find(({ fingerprint }) => fingerprint === keyid)
    const signature = fromBase64(sig)
    if (!key) continue
    if (!signature || !(await isSignatureOf(key, envelope.payloadType, payload, signature))) refused = refuse('signature_wrong')
    else if (key.revoked) refused = refuse('key_revoked')
    else return key
  }
  return refused
}
