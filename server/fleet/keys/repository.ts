import { and, arrayContains, count, eq, ilike, inArray, isNull, not, type SQL, sql } from 'drizzle-orm'
import { maxUncoveredDevices } from '../../../contract/keys'
import { devices } from '../schema/devices'
import { signingKeys } from '../schema/keys'
import type { Tx } from '../../core/database/tx'
import { newRow, rowUpdate } from '../../core/database/row'
import { containing, type ListQuery, paging, limitTotal } from '../../core/http/paging'
import { notFound } from '../../core/http/refuse'

export type KeyRow = typeof signingKeys.$inferSelect
export type NewKey = Omit<typeof signingKeys.$inferInsert, keyof ReturnType<typeof newRow>>

/** How many of the project's active devices report that they trust a key. */
export type KeyCoverage = { trusting: number; total: number }

/** The active devices that verify manifests themselves: clients of the DDI protocol know no keys of a project. */
export const verifyingDevicesOf = (projectId: string) =>
  and(
    eq(devices.projectId, projectId),
    isNull(devices.deletedAt),
    eq(devices.lifecycle, 'active'),
    eq(devices.protocol, 'teasel'),
  )

/** The first active devices, by name, that do not report that they trust a key. */
export const listUncoveredDevices = (tx: Tx, { projectId, fingerprint }: KeyRow) =>
  tx
    .select({ id: devices.id, name: devices.name, lastSeenAt: devices.lastSeenAt })
    .from(devices)
    .where(and(verifyingDevicesOf(projectId), not(arrayContains(devices.trustedKeys, [fingerprint]))))
    .orderBy(sql`lower(${devices.name})`, devices.id)
    .limit(maxUncoveredDevices)

/** The coverage of keys of one project, by the id of the key. */
export const countCoverage = async (tx: Tx, rows: readonly KeyRow[]): Promise<Map<string, KeyCoverage>> => {
  const [row] = rows
  if (!row) return new Map()
  const fleet = verifyingDevicesOf(row.projectId)
  const [all] = await tx.select({ n: count() }).from(devices).where(fleet)
  const fingerprint = sql<string>`trusted.fingerprint`
  const trusting = await tx
    .select({ fingerprint, n: count() })
    .from(devices)
    .innerJoin(sql`unnest(${devices.trustedKeys}) as trusted (fingerprint)`, sql`true`)
    .where(
      and(
        fleet,
        inArray(
          fingerprint,
          rows.map((key) => key.fingerprint),
        ),
      ),
    )
    .groupBy(fingerprint)
  const counts = new Map(trusting.map(({ fingerprint: key, n }) => [key, n]))
  return new Map(rows.map((key) => [key.id, { trusting: counts.get(key.fingerprint) ?? 0, total: all?.n ?? 0 }]))
}

export const listKeys = async (tx: Tx, projectId: string, query: ListQuery) => {
  const page = paging(query, { name: signingKeys.name, created_at: signingKeys.createdAt }, signingKeys.id, '-created_at')
  const matching: SQL | undefined = and(
    eq(signingKeys.projectId, projectId),
    query.q ? ilike(signingKeys.name, containing(query.q)) : undefined,
  )
  const rows = await tx
    .select()
    .from(signingKeys)
    .where(and(matching, page.after))
    .orderBy(...page.order)
    .limit(page.take)
  const [total] = await tx.select({ n: count() }).from(signingKeys).where(matching)
  const byName = query.sort?.endsWith('name')
  const cut = page.cut(rows, (row) => [byName ? row.name : row.createdAt.toISOString(), row.id])
  return { ...cut, total: limitTotal(total?.n ?? 0) }
}

export const listKeysById = (tx: Tx, projectId: string, ids: readonly string[]): Promise<KeyRow[]> =>
  tx
    .select()
    .from(signingKeys)
    .where(and(eq(signingKeys.projectId, projectId), inArray(signingKeys.id, [...ids])))

/** The algorithms of the project's signing keys by fingerprint: devices report fingerprints only. */
export const listKeyAlgorithms = async (tx: Tx, projectId: string): Promise<Map<string, string>> => {
  const { fingerprint, algorithm } = signingKeys
  const rows = await tx.select({ fingerprint, algorithm }).from(signingKeys).where(eq(signingKeys.projectId, projectId))
  return new Map(rows.map((key) => [key.fingerprint, key.algorithm]))
}

export const findKeyProject = async (tx: Tx, id: string): Promise<{ projectId: string } | undefined> => {
  const [key] = await tx.select({ projectId: signingKeys.projectId }).from(signingKeys).where(eq(signingKeys.id, id))
  return key
}

export const getKey = async (tx: Tx, id: string): Promise<KeyRow> => {
  const [row] = await tx.select().from(signingKeys).where(eq(signingKeys.id, id))
  return row ?? notFound()
}

export const lockKey = async (tx: Tx, id: string): Promise<KeyRow> => {
  const [row] = await tx.select().from(signingKeys).where(eq(signingKeys.id, id)).for('update')
  return row ?? notFound()
}

export const lockKeyOfProject = async (tx: Tx, projectId: string, id: string): Promise<KeyRow | undefined> => {
  const own = and(eq(signingKeys.id, id), eq(signingKeys.projectId, projectId))
  const [row] = await tx.select().from(signingKeys).where(own).for('update')
  return row
}

export const listKeysOfProject = (tx: Tx, projectId: string): Promise<KeyRow[]> =>
  tx.select().from(signingKeys).where(eq(signingKeys.projectId, projectId))

export const insertKey = async (tx: Tx, key: NewKey, now: Date): Promise<string> => {
  const row = { ...newRow(now), ...key }
  await tx.insert(signingKeys).values(row)
  return row.id
}

export const updateKey = async (
  tx: Tx,
  id: string,
  changes: Partial<Pick<KeyRow, 'state' | 'stateReason' | 'lastUsedAt'>>,
  now: Date,
): Promise<void> => {
  await tx
    .update(signingKeys)
    .set({ ...rowUpdate(now), ...changes })
    .where(eq(signingKeys.id, id))
}
