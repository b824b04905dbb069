import { inArray } from 'drizzle-orm'
import { releases } from '../schema/releases'
import { rollouts } from '../schema/rollouts'
import type { Tx } from '../../core/database/tx'

type Named = { releaseId: string | null; rolloutId: string | null }
export type ReleaseName = { id: string; name: string; version: number; displayVersion: string | null }

const releaseNames = async (tx: Tx, ids: readonly (string | null)[]): Promise<Map<string, ReleaseName>> => {
  const wanted = [...new Set(ids.filter((id) => id !== null))]
  if (wanted.length === 0) return new Map()
  const { id, name, version, displayVersion } = releases
  const rows = await tx.select({ id, name, version, displayVersion }).from(releases).where(inArray(id, wanted))
  return new Map(rows.map((row) => [row.id, row]))
}

const rolloutNames = async (tx: Tx, ids: readonly (string | null)[]): Promise<Map<string, string>> => {
  const wanted = [...new Set(ids.filter((id) => id !== null))]
  if (wanted.length === 0) return new Map()
  const { id, name } = rollouts
  const rows = await tx.select({ id, name }).from(rollouts).where(inArray(id, wanted))
  return new Map(rows.map((row) => [row.id, row.name]))
}

/** Names of the releases and rollouts of some rows. */
export const namesOf = async (tx: Tx, rows: readonly Named[]) => ({
  releases: await releaseNames(
    tx,
    rows.map(({ releaseId }) => releaseId),
  ),
  rollouts: await rolloutNames(
    tx,
    rows.map(({ rolloutId }) => rolloutId),
  ),
})
