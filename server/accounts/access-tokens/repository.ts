import { and, eq, gt, isNull, lte, or } from 'drizzle-orm'
import { containsText } from '../../core/database/fold-case'
import type { ListIssuedTokens } from '../../core/http/bad-tokens'
import { listPage } from '../../core/http/list-page'
import type { ListQuery } from '../../core/http/paging'
import { rowUpdate } from '../../core/database/row'
import type { Tx } from '../../core/database/tx'
import { accessTokens } from '../schema/access-tokens'
import { organizations } from '../schema/organizations'
import { users } from '../schema/people'
import { projects } from '../schema/projects'

export type AccessTokenRow = typeof accessTokens.$inferSelect

export const listAccessTokens = (tx: Tx, projectId: string, query: ListQuery) =>
  listPage(tx, query, {
    table: accessTokens,
    id: accessTokens.id,
    sorts: { name: accessTokens.name, created_at: accessTokens.createdAt },
    standard: '-created_at',
    matching: and(eq(accessTokens.projectId, projectId), query.q ? containsText(accessTokens.name, query.q) : undefined),
  })

export const findAccessTokenProject = async (tx: Tx, id: string): Promise<{ projectId: string } | undefined> => {
  const [token] = await tx.select({ projectId: accessTokens.projectId }).from(accessTokens).where(eq(accessTokens.id, id))
  return token
}

export const lockAccessToken = async (tx: Tx, id: string): Promise<AccessTokenRow | undefined> => {
  const [row] = await tx.select().from(accessTokens).where(eq(accessTokens.id, id)).for('update')
  return row
}

/** A token by its hash, with its maker and its project. */
export const findAccessToken = async (tx: Tx, by: { tokenHash: string } | { id: string }) => {
  const [found] = await tx
    .select({ token: accessTokens, maker: users, project: projects, organization: organizations })
    .from(accessTokens)
    .innerJoin(users, eq(users.id, accessTokens.makerId))
    .innerJoin(projects, eq(projects.id, accessTokens.projectId))
    .leftJoin(organizations, eq(organizations.id, projects.organizationId))
    .where('id' in by ? eq(accessTokens.id, by.id) : eq(accessTokens.tokenHash, by.tokenHash))
  return found
}

const valid = (now: Date) =>
  and(isNull(accessTokens.revokedAt), or(isNull(accessTokens.expiresAt), gt(accessTokens.expiresAt, now)))

/** Whether a token was neither revoked nor expired. */
export const isAccessTokenValid = async (tx: Tx, id: string, now: Date): Promise<boolean> => {
  const found = await tx
    .select({ id: accessTokens.id })
    .from(accessTokens)
    .where(and(eq(accessTokens.id, id), valid(now)))
  return found.length === 1
}

export const listIssuedAccessTokens: ListIssuedTokens = (tx, since, now) =>
  tx
    .select({ tokenHash: accessTokens.tokenHash })
    .from(accessTokens)
    .where(and(gt(accessTokens.createdAt, since), valid(now)))

/** The valid tokens that expire until a time; without those that were replaced. */
export const listExpiringAccessTokens = (tx: Tx, now: Date, until: Date): Promise<AccessTokenRow[]> =>
  tx
    .select()
    .from(accessTokens)
    .where(and(valid(now), lte(accessTokens.expiresAt, until), isNull(accessTokens.replacedAt)))

export const insertAccessToken = async (tx: Tx, row: AccessTokenRow): Promise<void> => {
  await tx.insert(accessTokens).values(row)
}

export const updateAccessToken = async (
  tx: Tx,
  id: string,
  changes: Partial<Pick<AccessTokenRow, 'revokedAt' | 'replacedAt' | 'expiresAt'>>,
  now: Date,
): Promise<void> => {
  await tx
    .update(accessTokens)
    .set({ ...changes, ...rowUpdate(now) })
    .where(eq(accessTokens.id, id))
}

/** No change of the token: its revision stays. */
export const updateTokenUse = async (tx: Tx, id: string, use: { lastUsedAt: Date; lastUsedIp: string }): Promise<void> => {
  await tx.update(accessTokens).set(use).where(eq(accessTokens.id, id))
}
