import { and, arrayContained, eq, lt, ne } from 'drizzle-orm'
import type { Tx } from '../../core/database/tx'
import type { ReleaseRow } from '../releases/repository'
import { releases } from '../schema/releases'

/** The older releases of the same type, for no other hardware than this one, that are released, locked. */
export const lockOlderReleases = (tx: Tx, release: ReleaseRow): Promise<ReleaseRow[]> =>
  tx
    .select()
    .from(releases)
    .where(
      and(
        eq(releases.projectId, release.projectId),
        ne(releases.id, release.id),
        eq(releases.state, 'released'),
        lt(releases.version, release.version),
        eq(releases.type, release.type),
        arrayContained(releases.hardwareModels, release.hardwareModels),
      ),
    )
    .for('update')
