import type { Tx } from '../../core/database/tx'
import type { Deps } from '../../core/deps'

// Functions of rollouts and uploads, which build on releases: api.ts and jobs.ts pass them.

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

/** Halts the rollouts that offer this release. */
export type HaltRollouts = (tx: Tx, releaseId: string, reason: string, now: Date) => Promise<void>

/** Ends the open uploads of a release, or of one asset. Returns a function that removes their bytes after the commit. */
export type EndUploads = (tx: Tx, deps: Deps, id: string) => Promise<() => Promise<void>>
