import { and, asc, count, eq, exists, isNull, ne, or, type SQL, sql } from 'drizzle-orm'
import type { ComponentFacts } from '../../../../contract/updates/components'
import { exactTotal } from '../../../../contract/core/limits'
import { containsText } from '../../../core/database/fold-case'
import type { Tx } from '../../../core/database/tx'
import { nextId } from '../../../core/ids'
import { limitTotal, type ListQuery, paging } from '../../../core/http/paging'
import { components, sboms } from '../../schema/components'
import { assets, releases } from '../../schema/releases'
import type { AssetRow } from '../assets/repository'

export type SbomRow = typeof sboms.$inferSelect
export type ComponentRow = typeof components.$inferSelect

const isUnread = and(
  eq(assets.kind, 'sbom'),
  eq(assets.state, 'ready'),
  or(isNull(sboms.assetId), ne(sboms.storageKey, sql`coalesce(${assets.storageKey}, '')`)),
)
const isOfSbom = eq(sboms.assetId, assets.id)

/** A condition: files are unread, or files that were read are something else by now. */
export const areSbomsWaiting = sql`(
  exists (select from ${assets} left join ${sboms} on ${isOfSbom} where ${isUnread})
  or exists (select from ${sboms} join ${assets} on ${isOfSbom} where ${assets.kind} <> 'sbom')
)`

/** Stored files of kind `sbom` that have not been read, or whose bytes were replaced since. */
export const listUnreadSboms = async (tx: Tx, limit: number): Promise<AssetRow[]> => {
  const rows = await tx
    .select({ asset: assets })
    .from(assets)
    .leftJoin(sboms, isOfSbom)
    .where(isUnread)
    .orderBy(asc(assets.id))
    .limit(limit)
  return rows.map(({ asset }) => asset)
}

/** Files that a change of the draft made something else than an SBOM. */
export const deleteFormerSboms = async (tx: Tx): Promise<void> => {
  const changed = tx
    .select({ one: sql`1` })
    .from(assets)
    .where(and(eq(assets.id, sboms.assetId), ne(assets.kind, 'sbom')))
  await tx.delete(sboms).where(exists(changed))
}

/** Locks the asset if its bytes are still the ones that were read. */
export const lockAssetIfSame = async (tx: Tx, { id, storageKey }: AssetRow): Promise<boolean> => {
  const same = and(eq(assets.id, id), eq(assets.kind, 'sbom'), eq(assets.storageKey, storageKey ?? ''))
  const found = await tx.select({ id: assets.id }).from(assets).where(same).for('update')
  return found.length > 0
}

/** Rows of one statement: the thread that answers requests makes it in a few milliseconds. */
const atOnce = 500

/** Replaces what an earlier reading of the file gave. */
export const replaceSbom = async (tx: Tx, row: SbomRow, found: readonly ComponentFacts[]): Promise<void> => {
  const owner = { assetId: row.assetId, projectId: row.projectId, releaseId: row.releaseId }
  await tx.delete(sboms).where(eq(sboms.assetId, row.assetId))
  await tx.insert(sboms).values(row)
  for (let from = 0; from < found.length; from += atOnce) {
    const some = found.slice(from, from + atOnce)
    await tx.insert(components).values(some.map((facts) => ({ id: nextId(row.readAt), ...owner, ...facts })))
  }
}

export const listSboms = (tx: Tx, releaseId: string): Promise<{ asset: AssetRow; sbom: SbomRow | null }[]> =>
  tx
    .select({ asset: assets, sbom: sboms })
    .from(assets)
    .leftJoin(sboms, and(eq(sboms.assetId, assets.id), eq(sboms.storageKey, assets.storageKey)))
    .where(and(eq(assets.releaseId, releaseId), eq(assets.kind, 'sbom')))
    .orderBy(asc(assets.id))

const byName = sql<string>`lower(${components.name})`
const contains = (q: string | undefined): SQL | undefined => (q ? containsText(components.name, q) : undefined)

const countUpTo = async (tx: Tx, matching: SQL | undefined): Promise<number | null> => {
  const some = tx
    .select({ one: sql`1` })
    .from(components)
    .where(matching)
    .limit(exactTotal + 1)
    .as('some')
  const [row] = await tx.select({ n: count() }).from(some)
  return limitTotal(row?.n ?? 0)
}

export const listComponents = async (tx: Tx, releaseId: string, query: ListQuery) => {
  const page = paging(query, { name: byName }, components.id, 'name')
  const matching = and(eq(components.releaseId, releaseId), contains(query.q))
  const rows = await tx
    .select({ component: components, key: byName })
    .from(components)
    .where(and(matching, page.after))
    .orderBy(...page.order)
    .limit(page.take)
  const cut = page.cut(rows, ({ component, key }) => [key, component.id])
  return { ...cut, rows: cut.rows.map(({ component }) => component), total: await countUpTo(tx, matching) }
}

/** All components of a release, for a comparison. */
export const listAllComponents = (tx: Tx, releaseId: string): Promise<ComponentFacts[]> =>
  tx
    .select({
      name: components.name,
      version: components.version,
      purl: components.purl,
      licence: components.licence,
      hash: components.hash,
      supplier: components.supplier,
    })
    .from(components)
    .where(eq(components.releaseId, releaseId))
    .orderBy(asc(components.id))

export const searchComponents = async (tx: Tx, projectId: string, { version, ...query }: ListQuery & { version?: string }) => {
  const page = paging(query, { name: byName }, components.id, 'name')
  const matching = and(
    eq(components.projectId, projectId),
    contains(query.q),
    version === undefined ? undefined : eq(components.version, version),
  )
  const rows = await tx
    .select({ component: components, release: releases, key: byName })
    .from(components)
    .innerJoin(releases, eq(releases.id, components.releaseId))
    .where(and(matching, page.after))
    .orderBy(...page.order)
    .limit(page.take)
  return { ...page.cut(rows, ({ component, key }) => [key, component.id]), total: await countUpTo(tx, matching) }
}
