import { and, count, eq, ilike } from 'drizzle-orm'
import type { Infer } from 'superstruct'
import type { EnrollmentToken, NewEnrollmentToken } from '../../../contract/access'
import { enrollmentTokens } from '../schema/devices'
import type { Tx } from '../../core/database/tx'
import { newRow } from '../../core/database/row'
import { containing, type ListQuery, paging, toldTotal } from '../../core/http/paging'
import { entityToJson, formatTimestampOrNull } from '../../core/timestamps'
import { getProjectSettings } from '../../accounts/projects/plan-and-settings'
import { createToken, hashOf, prefixOf } from '../../core/tokens/token'
import { stateOf } from './state'

type EnrollmentTokenRow = typeof enrollmentTokens.$inferSelect

export const enrollmentTokenToJson = (row: EnrollmentTokenRow, now: Date): EnrollmentToken => ({
  ...entityToJson(row),
  project_id: row.projectId,
  name: row.name,
  prefix: row.prefix,
  kind: row.kind,
  hardware_model: row.hardwareModel,
  default_tags: row.defaultTags,
  max_uses: row.maxUses,
  uses: row.uses,
  expires_at: formatTimestampOrNull(row.expiresAt),
  auto_accept: row.autoAccept,
  state: stateOf(row, now),
})

const columns = { name: enrollmentTokens.name, created_at: enrollmentTokens.createdAt }

export const listTokens = async (tx: Tx, projectId: string, query: ListQuery, now: Date) => {
  const page = paging(query, columns, enrollmentTokens.id, '-created_at')
  const matching = and(
    eq(enrollmentTokens.projectId, projectId),
    query.q ? ilike(enrollmentTokens.name, containing(query.q)) : undefined,
  )
  const rows = await tx
    .select()
    .from(enrollmentTokens)
    .where(and(matching, page.after))
    .orderBy(...page.order)
    .limit(page.take)
  const [total] = await tx.select({ n: count() }).from(enrollmentTokens).where(matching)
  const byName = query.sort?.endsWith('name')
  const cut = page.cut(rows, (row) => [byName ? row.name : row.createdAt.toISOString(), row.id])
  return {
    enrollment_tokens: cut.rows.map((row) => enrollmentTokenToJson(row, now)),
    next_cursor: cut.next_cursor,
    total: toldTotal(total?.n ?? 0),
  }
}

/** Creates an enrollment token. Only this result contains its secret. A token for one device can be used once. */
export const insertToken = async (tx: Tx, projectId: string, body: Infer<typeof NewEnrollmentToken>, now: Date) => {
  const settings = await getProjectSettings(tx, projectId)
  const token = createToken('enr')
  const kind = body.kind ?? 'group'
  const row = {
    ...newRow(now),
    projectId,
    tokenHash: hashOf(token),
    prefix: prefixOf(token),
    name: body.name,
    kind,
    hardwareModel: body.hardware_model ?? null,
    defaultTags: body.default_tags ?? [],
    maxUses: kind === 'single' ? 1 : (body.max_uses ?? null),
    uses: 0,
    expiresAt: body.expires_at ? new Date(body.expires_at) : null,
    autoAccept: body.auto_accept ?? settings.auto_accept_devices,
    revokedAt: null,
  }
  await tx.insert(enrollmentTokens).values(row)
  return { row, token }
}
