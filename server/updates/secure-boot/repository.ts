import {
  and,
  arrayContains,
  arrayOverlaps,
  asc,
  count,
  desc,
  eq,
  inArray,
  isNotNull,
  max,
  ne,
  notInArray,
  or,
  sql,
} from 'drizzle-orm'
import type { QueryOf } from '../../../contract/core/endpoint'
import { exactTotal } from '../../../contract/core/limits'
import type { bundles as listEndpoint } from '../../../contract/updates/secure-boot/bundles'
import { releaseMoves } from '../../../machines/release/release.machine'
import { rowUpdate } from '../../core/database/row'
import { containsText } from '../../core/database/fold-case'
import type { Tx } from '../../core/database/tx'
import { limitTotal, paging } from '../../core/http/paging'
import { notFound } from '../../core/http/refuse'
import { releases } from '../schema/releases'
import { secureBootBundles as bundles } from '../schema/secure-boot'

export type BundleRow = typeof bundles.$inferSelect
export type NewBundleRow = typeof bundles.$inferInsert

export const findBundle = async (tx: Tx, id: string): Promise<BundleRow | undefined> => {
  const [row] = await tx.select().from(bundles).where(eq(bundles.id, id))
  return row
}

/** Undefined also for a bundle of another project. */
export const findBundleOfProject = async (tx: Tx, projectId: string, id: string): Promise<BundleRow | undefined> => {
  const row = await findBundle(tx, id)
  return row?.projectId === projectId ? row : undefined
}

export const findBundleProject = async (tx: Tx, id: string): Promise<{ projectId: string } | undefined> => {
  const [row] = await tx.select({ projectId: bundles.projectId }).from(bundles).where(eq(bundles.id, id))
  return row
}

/** The row of a bundle, locked for a change. */
export const lockBundle = async (tx: Tx, id: string): Promise<BundleRow | undefined> => {
  const [row] = await tx.select().from(bundles).where(eq(bundles.id, id)).for('update')
  return row
}

/** The row of a bundle under lock, or 404. */
export const getLockedBundle = async (tx: Tx, id: string): Promise<BundleRow> => (await lockBundle(tx, id)) ?? notFound()

export const insertBundle = async (tx: Tx, row: NewBundleRow): Promise<void> => {
  await tx.insert(bundles).values(row)
}

/** A change that users see: it counts as a new revision. */
export const updateBundle = async (tx: Tx, id: string, set: Partial<BundleRow>, now: Date): Promise<void> => {
  await tx
    .update(bundles)
    .set({ ...rowUpdate(now), ...set })
    .where(eq(bundles.id, id))
}

export const deleteBundle = async (tx: Tx, id: string): Promise<void> => {
  await tx.delete(bundles).where(eq(bundles.id, id))
}

type Query = NonNullable<QueryOf<typeof listEndpoint>>

/** A page of the bundles of a project. */
export const listBundleRows = async (tx: Tx, projectId: string, query: Query) => {
  const columns = { version: bundles.version, created_at: bundles.createdAt, name: sql`lower(${bundles.name})` }
  const page = paging(query, columns, bundles.id, '-version', { name: 'lower' })
  const matching = and(
    eq(bundles.projectId, projectId),
    query.state && eq(bundles.state, query.state),
    query.platform && eq(bundles.platform, query.platform),
    query.hardware_model === undefined ? undefined : arrayContains(bundles.hardwareModels, [query.hardware_model]),
    query.q ? containsText(bundles.name, query.q) : undefined,
  )
  const rows = await tx
    .select()
    .from(bundles)
    .where(and(matching, page.after))
    .orderBy(...page.order)
    .limit(page.take)
  const some = tx
    .select({ one: sql`1`.as('one') })
    .from(bundles)
    .where(matching)
    .limit(exactTotal + 1)
    .as('some')
  const [total] = await tx.select({ n: count() }).from(some)
  const keyOf = ({ version, createdAt, name }: BundleRow) => {
    if (query.sort?.endsWith('name')) return name
    return query.sort?.endsWith('created_at') ? createdAt.toISOString() : version
  }
  const cut = page.cut(rows, (row) => [keyOf(row), row.id])
  return { rows: cut.rows, next_cursor: cut.next_cursor, total: limitTotal(total?.n ?? 0) }
}

type OfModels = { projectId: string; hardwareModels: readonly string[]; except?: string }

const ofModels = ({ projectId, hardwareModels, except }: OfModels) =>
  and(
    eq(bundles.projectId, projectId),
    arrayOverlaps(bundles.hardwareModels, [...hardwareModels]),
    except === undefined ? undefined : ne(bundles.id, except),
  )

const unchecked = ['draft', 'checking', 'incomplete'] as const

/** The highest version of a checked bundle for one of the models. */
export const highestVersion = async (tx: Tx, models: OfModels): Promise<number> => {
  const [row] = await tx
    .select({ highest: max(bundles.version) })
    .from(bundles)
    .where(and(ofModels(models), notInArray(bundles.state, [...unchecked])))
  return row?.highest ?? 0
}

/**
 * The highest rollback version of a bundle for one of the models that is in use, or was when it was revoked: a revocation does not
 * take it out of the devices.
 */
export const highestRollbackVersion = async (tx: Tx, models: OfModels): Promise<number> => {
  const wasApplied = and(eq(bundles.state, 'revoked'), isNotNull(bundles.appliedAt))
  const [row] = await tx
    .select({ highest: max(bundles.rollbackVersion) })
    .from(bundles)
    .where(and(ofModels(models), or(eq(bundles.state, 'in_use'), wasApplied)))
  return row?.highest ?? 0
}

/** The bundles of a project that name this signing key and could still be written into a part, newest first. */
export const listBundlesWithKey = (tx: Tx, projectId: string, keyId: string) =>
  tx
    .select({ id: bundles.id, name: bundles.name, version: bundles.version, state: bundles.state })
    .from(bundles)
    .where(
      and(
        eq(bundles.projectId, projectId),
        sql`${bundles.keys} @> ${JSON.stringify([{ key_id: keyId, revoked: false }])}::jsonb`,
        notInArray(bundles.state, ['revoked', 'archived']),
      ),
    )
    .orderBy(desc(bundles.version), desc(bundles.id))

/** The newest bundle in use for a hardware model. */
export const findExpectedBundle = async (
  tx: Tx,
  { projectId, hardwareModel }: { projectId: string; hardwareModel: string },
): Promise<BundleRow | undefined> => {
  const [row] = await tx
    .select()
    .from(bundles)
    .where(and(ofModels({ projectId, hardwareModels: [hardwareModel] }), eq(bundles.state, 'in_use')))
    .orderBy(desc(bundles.version), desc(bundles.id))
    .limit(1)
  return row
}

/** Bundles whose checks are to run, or were running in a process that died. */
/** A condition. */
export const areBundlesChecking = sql`exists (select from ${bundles} where ${bundles.state} = 'checking')`

export const listCheckingBundles = (tx: Tx, limit: number): Promise<BundleRow[]> =>
  tx.select().from(bundles).where(eq(bundles.state, 'checking')).orderBy(asc(bundles.updatedAt), asc(bundles.id)).limit(limit)

type Run = Pick<BundleRow, 'id' | 'checkRun'>
const sameRun = ({ id, checkRun }: Run) => and(eq(bundles.id, id), eq(bundles.state, 'checking'), eq(bundles.checkRun, checkRun))

/** Progress of the checks, no new revision; false if this run is over. */
export const updateCheckProgress = async (
  tx: Tx,
  run: Run,
  set: Partial<Pick<BundleRow, 'checkDone' | 'checkTotal' | 'checkAttempts'>>,
): Promise<boolean> => (await tx.update(bundles).set(set).where(sameRun(run)).returning({ id: bundles.id })).length > 0

/** The bundle under lock, if this run of its checks is not over. */
export const lockCheckRun = async (tx: Tx, run: Run): Promise<BundleRow | undefined> => {
  const [row] = await tx.select().from(bundles).where(sameRun(run)).for('update')
  return row
}

export type NamingRelease = {
  bundleId: string | null
  id: string
  name: string
  version: number
  displayVersion: string | null
  state: string
}

/** The releases that name these bundles, newest first. */
export const listReleasesOfBundles = (tx: Tx, ids: readonly string[]): Promise<NamingRelease[]> =>
  tx
    .select({
      bundleId: releases.secureBootBundleId,
      id: releases.id,
      name: releases.name,
      version: releases.version,
      displayVersion: releases.displayVersion,
      state: releases.state,
    })
    .from(releases)
    .where(inArray(releases.secureBootBundleId, [...ids]))
    .orderBy(desc(releases.version), desc(releases.id))

/** Those of these bundles that are revoked. */
export const listRevokedBundles = (tx: Tx, ids: readonly string[]): Promise<Pick<BundleRow, 'id' | 'name'>[]> =>
  tx
    .select({ id: bundles.id, name: bundles.name })
    .from(bundles)
    .where(and(inArray(bundles.id, [...ids]), eq(bundles.state, 'revoked')))

/** Whether a release whose manifest is built names the bundle. */
export const isNamedByManifest = async (tx: Tx, id: string): Promise<boolean> => {
  const [row] = await tx
    .select({ id: releases.id })
    .from(releases)
    .where(and(eq(releases.secureBootBundleId, id), notInArray(releases.state, releaseMoves.withTag('editable'))))
    .limit(1)
  return row !== undefined
}
