import {
  and,
  arrayContains,
  asc,
  count,
  desc,
  eq,
  inArray,
  isNotNull,
  max,
  notInArray,
  arrayOverlaps,
  ne,
  or,
  sql,
} from 'drizzle-orm'
import type { QueryOf } from '../../../contract/core/endpoint'
import { exactTotal } from '../../../contract/core/limits'
import type { releases as listEndpoint } from '../../../contract/updates/releases'
import { releaseMoves } from '../../../machines/release/release.machine'
import { signingKeys } from '../../fleet/schema/keys'
import { assets, releases, releaseSignatures } from '../schema/releases'
import { rowUpdate } from '../../core/database/row'
import { containsText } from '../../core/database/fold-case'
import type { Tx } from '../../core/database/tx'
import { paging, limitTotal } from '../../core/http/paging'
import { notFound } from '../../core/http/refuse'
import type { AssetRow } from './assets/repository'
import type { SignatureFacts } from './to-json'

export const assetsOf = (tx: Tx, releaseIds: readonly string[]): Promise<AssetRow[]> =>
  tx
    .select()
    .from(assets)
    .where(inArray(assets.releaseId, [...releaseIds]))
    .orderBy(asc(assets.id))

export const signaturesOf = (tx: Tx, releaseIds: readonly string[]): Promise<SignatureFacts[]> =>
  tx
    .select({
      releaseId: releaseSignatures.releaseId,
      keyId: releaseSignatures.keyId,
      keyName: signingKeys.name,
      fingerprint: signingKeys.fingerprint,
      algorithm: signingKeys.algorithm,
      signedAt: releaseSignatures.signedAt,
      signedBy: releaseSignatures.signedBy,
    })
    .from(releaseSignatures)
    .innerJoin(signingKeys, eq(signingKeys.id, releaseSignatures.keyId))
    .where(inArray(releaseSignatures.releaseId, [...releaseIds]))
    .orderBy(asc(releaseSignatures.signedAt), asc(releaseSignatures.id))

export type ReleaseRow = typeof releases.$inferSelect

export const findReleases = (tx: Tx, ids: readonly string[]): Promise<ReleaseRow[]> =>
  tx
    .select()
    .from(releases)
    .where(inArray(releases.id, [...ids]))

/** Undefined also for a release of another project. */
export const findReleaseOfProject = async (tx: Tx, projectId: string, id: string): Promise<ReleaseRow | undefined> => {
  const own = and(eq(releases.id, id), eq(releases.projectId, projectId))
  const [release] = await tx.select().from(releases).where(own)
  return release
}

type Named = { projectId: string; hardwareModels: readonly string[]; displayVersion: string; except: string }

/** Another finalized release with this display version for one of the models. */
export const findDisplayVersionOfModels = async (
  tx: Tx,
  { projectId, hardwareModels, displayVersion, except }: Named,
): Promise<ReleaseRow | undefined> => {
  const own = and(eq(releases.projectId, projectId), arrayOverlaps(releases.hardwareModels, [...hardwareModels]))
  const named = and(eq(releases.displayVersion, displayVersion), isNotNull(releases.payload), ne(releases.id, except))
  const [release] = await tx.select().from(releases).where(and(own, named)).limit(1)
  return release
}

/** The newest finalized release for the device whose display version, or version number, is this text. */
export const findReleaseByText = async (
  tx: Tx,
  { projectId, hardwareModel }: { projectId: string; hardwareModel: string },
  text: string,
): Promise<ReleaseRow | undefined> => {
  const named = or(eq(releases.displayVersion, text), eq(sql`${releases.version}::text`, text))
  const own = and(eq(releases.projectId, projectId), arrayContains(releases.hardwareModels, [hardwareModel]))
  const [release] = await tx
    .select()
    .from(releases)
    .where(and(own, named, isNotNull(releases.payload)))
    .orderBy(desc(releases.version), desc(releases.id))
    .limit(1)
  return release
}

export const findReleaseProject = async (tx: Tx, id: string): Promise<{ projectId: string } | undefined> => {
  const [row] = await tx.select({ projectId: releases.projectId }).from(releases).where(eq(releases.id, id))
  return row
}

/** The row of a release, locked for a change. */
export const lockRelease = async (tx: Tx, id: string): Promise<ReleaseRow | undefined> => {
  const [row] = await tx.select().from(releases).where(eq(releases.id, id)).for('update')
  return row
}

/** The row of a release under lock, or 404. */
export const locked = async (tx: Tx, id: string): Promise<ReleaseRow> => (await lockRelease(tx, id)) ?? notFound()

export const insertRelease = async (tx: Tx, row: typeof releases.$inferInsert): Promise<void> => {
  await tx.insert(releases).values(row)
}

export const deleteRelease = async (tx: Tx, id: string): Promise<void> => {
  await tx.delete(releases).where(eq(releases.id, id))
}

export const updateReleases = async (tx: Tx, ids: readonly string[], set: Partial<ReleaseRow>, now: Date): Promise<void> => {
  await tx
    .update(releases)
    .set({ ...rowUpdate(now), ...set })
    .where(inArray(releases.id, [...ids]))
}

type Query = NonNullable<QueryOf<typeof listEndpoint>>

/** A page of the releases of a project. */
export const listReleaseRows = async (tx: Tx, projectId: string, query: Query) => {
  const columns = { version: releases.version, created_at: releases.createdAt, name: sql`lower(${releases.name})` }
  const page = paging(query, columns, releases.id, '-version', { name: 'lower' })
  const matching = and(
    eq(releases.projectId, projectId),
    query.state && eq(releases.state, query.state),
    query.type && eq(releases.type, query.type),
    query.hardware_model === undefined ? undefined : arrayContains(releases.hardwareModels, [query.hardware_model]),
    query.q ? containsText(releases.name, query.q) : undefined,
  )
  const rows = await tx
    .select()
    .from(releases)
    .where(and(matching, page.after))
    .orderBy(...page.order)
    .limit(page.take)
  const some = tx
    .select({ one: sql`1`.as('one') })
    .from(releases)
    .where(matching)
    .limit(exactTotal + 1)
    .as('some')
  const [total] = await tx.select({ n: count() }).from(some)
  const keyOf = ({ version, createdAt, name }: ReleaseRow) => {
    if (query.sort?.endsWith('name')) return name
    return query.sort?.endsWith('created_at') ? createdAt.toISOString() : version
  }
  const cut = page.cut(rows, (row) => [keyOf(row), row.id])
  return { rows: cut.rows, next_cursor: cut.next_cursor, total: limitTotal(total?.n ?? 0) }
}

/** The highest version of the project; with models, the highest that was finalized for one of them. */
export const highestVersion = async (tx: Tx, projectId: string, finalizedFor?: { models: string[]; except?: string }) => {
  const bound = finalizedFor && [
    arrayOverlaps(releases.hardwareModels, finalizedFor.models),
    notInArray(releases.state, releaseMoves.withTag('editable')),
    finalizedFor.except === undefined ? undefined : ne(releases.id, finalizedFor.except),
  ]
  const where = and(eq(releases.projectId, projectId), ...(bound ?? []))
  const [row] = await tx
    .select({ highest: max(releases.version) })
    .from(releases)
    .where(where)
  return row?.highest ?? 0
}
