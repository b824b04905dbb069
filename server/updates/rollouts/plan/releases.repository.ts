import { eq, inArray } from 'drizzle-orm'
import type { Tx } from '../../../core/database/tx'
import type { ReleaseRow } from '../../releases/repository'
import { releases } from '../../schema/releases'

export const findRelease = async (tx: Tx, id: string): Promise<ReleaseRow | undefined> => {
  const [release] = await tx.select().from(releases).where(eq(releases.id, id))
  return release
}

export const findReleaseVersion = async (tx: Tx, id: string): Promise<number | undefined> => {
  const [release] = await tx.select({ version: releases.version }).from(releases).where(eq(releases.id, id))
  return release?.version
}

export const listReleasesById = (tx: Tx, ids: readonly string[]): Promise<ReleaseRow[]> =>
  tx
    .select()
    .from(releases)
    .where(inArray(releases.id, [...ids]))
