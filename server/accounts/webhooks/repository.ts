import { and, asc, count, eq, exists, isNotNull, ne, sql } from 'drizzle-orm'
import { rowUpdate } from '../../core/database/row'
import type { Tx } from '../../core/database/tx'
import { notFound } from '../../core/http/refuse'
import { users } from '../schema/people'
import { projects } from '../schema/projects'
import { webhookDeliveries, webhooks } from '../schema/webhooks'

export type WebhookRow = typeof webhooks.$inferSelect
export type WebhookWithMaker = { webhook: WebhookRow; maker: { id: string; name: string; email: string } | null }

const withMaker = (tx: Tx) =>
  tx
    .select({ webhook: webhooks, maker: { id: users.id, name: users.fullName, email: users.email } })
    .from(webhooks)
    .leftJoin(users, eq(users.id, webhooks.makerId))

/** Oldest first; there are few. */
export const listWebhooks = (tx: Tx, projectId: string): Promise<WebhookWithMaker[]> =>
  withMaker(tx).where(eq(webhooks.projectId, projectId)).orderBy(asc(webhooks.createdAt), asc(webhooks.id))

export const getWebhook = async (tx: Tx, id: string): Promise<WebhookWithMaker> => {
  const [row] = await withMaker(tx).where(eq(webhooks.id, id))
  return row ?? notFound()
}

/** Locks the project, so that two requests do not exceed the limit together. */
export const countWebhooksForInsert = async (tx: Tx, projectId: string): Promise<number> => {
  await tx.select({ id: projects.id }).from(projects).where(eq(projects.id, projectId)).for('no key update')
  const [counted] = await tx.select({ n: count() }).from(webhooks).where(eq(webhooks.projectId, projectId))
  return counted?.n ?? 0
}

export const findWebhookProject = async (tx: Tx, id: string): Promise<{ projectId: string } | undefined> => {
  const [row] = await tx.select({ projectId: webhooks.projectId }).from(webhooks).where(eq(webhooks.id, id))
  return row
}

export const lockWebhook = async (tx: Tx, id: string): Promise<WebhookRow | undefined> => {
  const [row] = await tx.select().from(webhooks).where(eq(webhooks.id, id)).for('no key update')
  return row
}

/** Disabled webhooks with deliveries that are not cancelled yet. */
export const listDisabledWithDeliveries = async (tx: Tx): Promise<string[]> => {
  const waiting = and(eq(webhookDeliveries.webhookId, webhooks.id), isNotNull(webhookDeliveries.nextTryAt))
  const rows = await tx
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(
      and(
        eq(webhooks.state, 'disabled'),
        exists(
          tx
            .select({ one: sql`1` })
            .from(webhookDeliveries)
            .where(waiting),
        ),
      ),
    )
  return rows.map(({ id }) => id)
}

export const insertWebhook = async (tx: Tx, row: WebhookRow): Promise<void> => {
  await tx.insert(webhooks).values(row)
}

/** A change by a person. */
export const updateWebhook = async (tx: Tx, id: string, changes: Partial<WebhookRow>, now: Date): Promise<void> => {
  await tx
    .update(webhooks)
    .set({ ...changes, ...rowUpdate(now) })
    .where(eq(webhooks.id, id))
}

/** Those of a project that gets another owner: whoever chose the receivers may have no part in it any more. */
export const disableWebhooksOfProject = async (tx: Tx, projectId: string, reason: string, now: Date): Promise<void> => {
  await tx
    .update(webhooks)
    .set({ state: 'disabled', stateReason: reason, ...rowUpdate(now) })
    .where(and(eq(webhooks.projectId, projectId), ne(webhooks.state, 'disabled')))
}

/** What deliveries show about it: the revision stays, so that they do not conflict with changes by people. */
export const updateWebhookHealth = async (
  tx: Tx,
  id: string,
  health: Partial<Pick<WebhookRow, 'state' | 'stateReason' | 'failingSince' | 'lastDeliveryAt'>>,
): Promise<void> => {
  await tx.update(webhooks).set(health).where(eq(webhooks.id, id))
}

export const deleteWebhook = async (tx: Tx, id: string): Promise<void> => {
  await tx.delete(webhooks).where(eq(webhooks.id, id))
}
