import { and, count, eq, ilike, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import type { SigningKey } from '../../../contract/keys'
import { devices } from '../schema/devices'
import { signingKeys } from '../schema/keys'
import type { Tx } from '../../core/database/tx'
import { containing, type ListQuery, paging, toldTotal } from '../../core/http/paging'
import { notFound } from '../../core/http/refuse'
import { entityToJson, formatTimestampOrNull } from '../../core/timestamps'

export type KeyRow = typeof signingKeys.$inferSelect

/** A signing key as the audit log names it. */
export const keyTarget = ({ id, name }: Pick<KeyRow, 'id' | 'name'>) => ({ kind: 'signing_key', id, name })

type Coverage = SigningKey['coverage']

/** How many of the project's active devices report that they trust each key. */
const coverageOf = async (tx: Tx, rows: readonly KeyRow[]): Promise<Map<string, Coverage>> => {
  const [row] = rows
  if (!row) return new Map()
  const fleet = and(eq(devices.projectId, row.projectId), isNull(devices.deletedAt), eq(devices.lifecycle, 'active'))
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

const signingKeyToJson = (row: KeyRow, coverage: Coverage | undefined): SigningKey => ({
  ...entityToJson(row),
  name: row.name,
  algorithm: row.algorithm,
  public_key_pem: row.publicKeyPem,
  fingerprint: row.fingerprint,
  custody: row.custody,
  purpose: row.purpose,
  state: row.state,
  expires_at: formatTimestampOrNull(row.expiresAt),
  last_used_at: formatTimestampOrNull(row.lastUsedAt),
  is_known_test_key: row.isKnownTestKey,
  coverage: coverage ?? { trusting: 0, total: 0 },
})

const withCoverage = async (tx: Tx, rows: readonly KeyRow[]) => {
  const coverage = await coverageOf(tx, rows)
  return rows.map((row) => signingKeyToJson(row, coverage.get(row.id)))
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
  return { signing_keys: await withCoverage(tx, cut.rows), next_cursor: cut.next_cursor, total: toldTotal(total?.n ?? 0) }
}

export const keyById = async (tx: Tx, id: string): Promise<SigningKey> => {
  const [key] = await withCoverage(tx, await tx.select().from(signingKeys).where(eq(signingKeys.id, id)))
  return key ?? notFound()
}

export const lockKey = async (tx: Tx, id: string): Promise<KeyRow> => {
  const [row] = await tx.select().from(signingKeys).where(eq(signingKeys.id, id)).for('update')
  return row ?? notFound()
}
