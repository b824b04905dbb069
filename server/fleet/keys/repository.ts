import { createHash } from 'node:crypto'
import { and, eq, gt, inArray, isNull, lte, type SQL, sql } from 'drizzle-orm'
import { maxUncoveredDevices } from '../../../contract/fleet/keys'
import { countValues } from '../counts/repository'
import { keysHash } from '../schema/device-values'
import { devices } from '../schema/devices'
import { signingKeys } from '../schema/keys'
import { containsText } from '../../core/database/fold-case'
import type { Tx } from '../../core/database/tx'
import { newRow, rowUpdate } from '../../core/database/row'
import { listPage } from '../../core/http/list-page'
import type { ListQuery } from '../../core/http/paging'
import { notFound } from '../../core/http/refuse'

export type KeyRow = typeof signingKeys.$inferSelect
export type NewKey = Omit<typeof signingKeys.$inferInsert, keyof ReturnType<typeof newRow>>

/** How many of the project's active devices report that they trust a key. */
export type KeyCoverage = { trusting: number; total: number }

/** How many active devices that verify manifests themselves trust which keys: DDI clients know no keys of a project. */
export const countKeySets = async (tx: Tx, projectId: string): Promise<{ keys: string[]; n: number }[]> => {
  const counted = await countValues(tx, projectId, 'keys')
  return [...counted].map(([value, n]) => ({ keys: value === '' ? [] : value.split(' '), n }))
}

/** The first such devices, by name, that trust one of these sets of keys, with more columns. */
export const listDevicesWithKeys = async <T extends Record<string, SQL>>(
  tx: Tx,
  projectId: string,
  sets: readonly (readonly string[])[],
  more: T,
) => {
  const hashes = sets.map((keys) => createHash('md5').update(keys.join(' ')).digest('hex'))
  const { lastSeenAt, lifecycle, protocol, trustedKeys } = devices
  const ofSet = tx
    .select({ id: devices.id })
    .from(devices)
    .where(
      and(
        eq(devices.projectId, projectId),
        isNull(devices.deletedAt),
        eq(lifecycle, 'active'),
        eq(protocol, 'teasel'),
        sql`${keysHash(trustedKeys)} = known.hash`,
      ),
    )
    .orderBy(sql`lower(${devices.name})`)
    .limit(maxUncoveredDevices)
  return tx
    .select({ id: devices.id, name: devices.name, lastSeenAt, ...more })
    .from(devices)
    .where(sql`${devices.id} in (
      select first.id from unnest(${sql.param(hashes)}::text[]) as known (hash), lateral ${ofSet} as first)`)
    .orderBy(sql`lower(${devices.name})`, devices.id)
    .limit(maxUncoveredDevices)
}

/** The first active devices, by name, that do not report that they trust a key. */
export const listUncoveredDevices = async (tx: Tx, { projectId, fingerprint }: KeyRow) => {
  const sets = await countKeySets(tx, projectId)
  const without = sets.filter(({ keys }) => !keys.includes(fingerprint)).map(({ keys }) => keys)
  return listDevicesWithKeys(tx, projectId, without, {})
}

/** The coverage of keys of one project, by the id of the key. */
export const countCoverage = async (tx: Tx, rows: readonly KeyRow[]): Promise<Map<string, KeyCoverage>> => {
  const [row] = rows
  if (!row) return new Map()
  const sets = await countKeySets(tx, row.projectId)
  const countWith = (isMeant: (keys: string[]) => boolean) =>
    sets.reduce((sum, { keys, n }) => (isMeant(keys) ? sum + n : sum), 0)
  const total = countWith(() => true)
  return new Map(rows.map(({ id, fingerprint }) => [id, { trusting: countWith((keys) => keys.includes(fingerprint)), total }]))
}

export const listKeys = (tx: Tx, projectId: string, query: ListQuery) =>
  listPage(tx, query, {
    table: signingKeys,
    id: signingKeys.id,
    sorts: { name: signingKeys.name, created_at: signingKeys.createdAt },
    standard: '-created_at',
    matching: and(eq(signingKeys.projectId, projectId), query.q ? containsText(signingKeys.name, query.q) : undefined),
  })

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

/** The keys in use that expire until a time. */
export const listExpiringKeys = (tx: Tx, now: Date, until: Date): Promise<KeyRow[]> => {
  const inUse = inArray(signingKeys.state, ['active', 'retiring'])
  return tx
    .select()
    .from(signingKeys)
    .where(and(inUse, gt(signingKeys.expiresAt, now), lte(signingKeys.expiresAt, until)))
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
