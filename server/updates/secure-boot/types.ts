import type { Artifact } from '../../../contract/updates/secure-boot/artifacts'
import type { BundleKey, Check } from '../../../contract/updates/secure-boot/bundles'
import type { FuseConfig } from '../../../contract/updates/secure-boot/fuses'
import type { ArtifactRole, PlatformId } from '../../../contract/updates/secure-boot/platforms'
import type { Tx } from '../../core/database/tx'
import type { Deps } from '../../core/deps'
import type { ByteReader } from '../../core/storage/stored-bytes'

export { type ByteReader, maxReadBytes } from '../../core/storage/stored-bytes'

export type BundleFacts = {
  id: string
  name: string
  version: number
  platform: PlatformId
  hardwareModels: readonly string[]
  rollbackVersion: number
  keys: readonly BundleKey[]
  /** In hex. */
  keyHash: string | null
  fuseConfig: FuseConfig
}

export type ArtifactInput = {
  id: string
  role: ArtifactRole
  fileName: string
  sha256: string
  /** In hex. */
  loadAddress: string | null
  bytes: ByteReader
}

/** What the checks read from one file. */
export type ParsedArtifact = Pick<Artifact, 'signature' | 'parsed'> & {
  /** The first end of its certificates. */
  certificateExpiresAt: Date | null
}

type CheckedBundle = { checks: Check[]; parsed: ReadonlyMap<string, ParsedArtifact> }

/**
 * Checks a bundle: the formats and signatures of its files, and what its platform requires. Damaged input gives findings; it
 * throws only what `read` throws. `onArtifact` is called after each file.
 */
export type CheckBundle = (
  bundle: BundleFacts,
  artifacts: readonly ArtifactInput[],
  onArtifact?: (done: number) => Promise<void> | void,
) => Promise<CheckedBundle>

/** Ends the open uploads of a bundle, or of one file. Returns a function that removes their bytes after the commit. */
export type EndUploads = (tx: Tx, deps: Deps, id: string) => Promise<() => Promise<void>>

/** Cancels every open rollout of these releases. */
export type CancelRollouts = (
  tx: Tx,
  releaseIds: readonly string[],
  stop: { reason: string; by: string | null; now: Date },
) => Promise<void>

/** The rollouts of these releases that would be cancelled. */
export type ListOpenRollouts = (
  tx: Tx,
  releaseIds: readonly string[],
) => Promise<{ id: string; name: string; releaseId: string; state: string }[]>
