import { payloadType } from '../../../contract/device/manifest'
import type { Release } from '../../../contract/releases'
import type { Maker } from '../../../contract/shapes'
import type { AssetRow } from './assets/integrity'
import { assetWire } from './assets/wire'
import type { ReleaseRow } from './transitions'
import { entityFacts, stamp } from '../../core/timestamps'

export type Summary = NonNullable<Release['rollout_summary']>
export type SignatureFacts = {
  releaseId: string
  keyId: string
  keyName: string
  fingerprint: string
  algorithm: string
  signedAt: Date
  signedBy: Maker
}

const signatureWire = (facts: SignatureFacts): Release['signatures'][number] => ({
  key_id: facts.keyId,
  key_name: facts.keyName,
  fingerprint: facts.fingerprint,
  algorithm: facts.algorithm,
  signed_at: stamp(facts.signedAt),
  signed_by: facts.signedBy,
})

const manifestWire = ({ payload, manifestSha256, manifestAt, expiresAt }: ReleaseRow): Release['manifest'] =>
  payload !== null && manifestSha256 !== null && manifestAt && expiresAt
    ? {
        sha256: manifestSha256,
        size: Buffer.byteLength(payload, 'base64'),
        payload_type: payloadType,
        created_at: stamp(manifestAt),
        expires_at: stamp(expiresAt),
      }
    : null

type Parts = { assets: readonly AssetRow[]; signatures: readonly SignatureFacts[]; summary: Summary | undefined }

export const releaseWire = (row: ReleaseRow, { assets, signatures, summary }: Parts): Release => ({
  ...entityFacts(row),
  project_id: row.projectId,
  created_by: row.createdBy,
  name: row.name,
  version: row.version,
  display_version: row.displayVersion,
  type: row.type,
  description: row.description,
  notes: row.notes,
  hardware_models: row.hardwareModels,
  min_installed_version: row.minInstalledVersion,
  rollback_version: row.rollbackVersion,
  allow_downgrade_from: row.allowDowngradeFrom,
  may_return_to: row.mayReturnTo,
  hooks: row.hooks,
  reboot: row.reboot,
  assets: assets.map(assetWire),
  manifest: manifestWire(row),
  signatures: signatures.map(signatureWire),
  state: row.state,
  state_reason: row.stateReason,
  rollout_summary: summary ?? null,
})
