import { array, boolean, enums, type Infer, integer, nullable, object, optional, refine, string, type } from 'superstruct'
import { AssetName } from '../../device/manifest-fields'
import { endpoint, onObject, requires } from '../../core/endpoint'
import { maxUploadBytes } from '../../core/limits'
import { pattern } from '../../core/rules'
import { entity, Id, Sha256 } from '../../core/shapes'
import { artifactRoles } from './platforms'

/** Why bytes are refused: they differ from the declared hash, a private key is in them, or they could not be searched for one. */
const rejectCodes = ['hash_mismatch', 'private_key', 'unreadable'] as const
export type RejectCode = (typeof rejectCodes)[number]

const artifactStates = ['expected', 'uploading', 'ready', 'rejected'] as const
export const maxArtifacts = 64

/** A fact that was read from the bytes, such as the load address; `offset` is where it was read. */
const ArtifactFact = type({ name: string(), value: string(), offset: nullable(integer()) })

/** A file of a bundle. */
export const Artifact = type({
  ...entity,
  bundle_id: Id,
  role: enums(artifactRoles),
  file_name: string(),
  size: integer(),
  sha256: nullable(Sha256),
  load_address: nullable(string()),
  state: enums(artifactStates),
  /** Why the bytes were refused; they are deleted at once. */
  reject_code: nullable(enums(rejectCodes)),
  reject_reason: nullable(string()),
  /** The signature that the checks found; `verified` only with a public key of the bundle or inside the file. */
  signature: nullable(type({ algorithm: string(), key_id: nullable(Id), verified: boolean() })),
  /** What the checks read from the bytes; null before the first checks, or of an unknown format. */
  parsed: nullable(type({ format: string(), facts: array(ArtifactFact) })),
})
export type Artifact = Infer<typeof Artifact>

const write = requires(onObject('artifact_bundle', 'bundleId'), 'project:update')

const NewArtifact = object({
  role: enums(artifactRoles),
  file_name: refine(AssetName, 'name', (name) => !name.includes('\\') || 'A name has no backslash'),
  size: refine(integer(), 'file_too_large', (value) =>
    value <= 0 ? 'The file is empty' : value <= maxUploadBytes || 'File size must be less than 3.5 GB',
  ),
  sha256: optional(Sha256),
  load_address: optional(nullable(pattern('hex', /^[0-9a-f]{1,16}$/, 'A load address is 1 to 16 hexadecimal digits'))),
})

/** The bytes follow as an upload of purpose `bundle_artifact` with the artifact as its target. */
export const createArtifact = endpoint({
  method: 'POST',
  path: '/artifact_bundles/:bundleId/artifacts',
  summary: 'Add a file to a bundle before its upload (state expected).',
  needs: write,
  audit: 'bundle.artifact_add',
  rate: 'write',
  body: NewArtifact,
  answer: Artifact,
  status: 201,
})
export const deleteArtifact = endpoint({
  method: 'DELETE',
  path: '/artifact_bundles/:bundleId/artifacts/:artifactId',
  summary: 'Remove a file from a bundle.',
  needs: write,
  audit: 'bundle.artifact_delete',
  rate: 'write',
  answer: 'none',
})
