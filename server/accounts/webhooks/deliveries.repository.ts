import { and, count, eq, getTableColumns, inArray, isNotNull, lt, type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../../core/database/tx'
import { type ListQuery, paging } from '../../core/http/paging'
import { webhookDeliveries, webhooks } from '../schema/webhooks'
import type { WebhookRow } from './repository'

export type DeliveryRow = typeof webhookDeliveries.$inferSelect

// Not kept as a count, because each event would wait for the row of its webhook, and read at most eight times the rows of a page.
const exactTotal = 400

export const listDeliveries = async (tx: Tx, webhookId: string, query: ListQuery) => {
  const page = paging(query, { created_at: webhookDeliveries.createdAt }, webhookDeliveries.id, '-created_at')
  const matching = eq(webhookDeliveries.webhookId, webhookId)
  const rows = await tx
    .select()
    .from(webhookDeliveries)
    .where(and(matching, page.after))
    .orderBy(...page.order)
    .limit(page.take)
  const cut = page.cut(rows, (row) => [row.createdAt.toISOString(), row.id])
  // It is that of the whole list, so only the first page has it.
  if (query.cursor !== undefined) return { ...cut, total: null }
  const some = tx
    .select({ one: sql`1`.as('one') })
    .from(webhookDeliveries)
    .where(matching)
    .limit(exactTotal + 1)
    .as('some')
  const [total] = await tx.select({ n: count() }).from(some)
  const n = total?.n ?? 0
  return { ...cut, total: n > exactTotal ? null : n }
}

/** Of a webhook that exists. */
export const findDelivery = async (tx: Tx, id: string): Promise<DeliveryRow | undefined> => {
  const [row] = await tx
    .select(getTableColumns(webhookDeliveries))
    .from(webhookDeliveries)
    .innerJoin(webhooks, eq(webhooks.id, webhookDeliveries.webhookId))
    .where(eq(webhookDeliveries.id, id))
  return row
}

export const insertDelivery = async (tx: Tx, row: typeof webhookDeliveries.$inferInsert): Promise<DeliveryRow> => {
  const [made] = await tx.insert(webhookDeliveries).values(row).returning()
  if (!made) throw new Error('an inserted delivery is not there')
  return made
}

/** A condition: deliveries are due, or those of a disabled webhook are to be cancelled. */
export const areDeliveriesDue = sql`(
  exists (select from ${webhookDeliveries} where ${webhookDeliveries.nextTryAt} <= now())
  or exists (
    select from ${webhooks} where ${webhooks.state} = 'disabled'
    and exists (select from ${webhookDeliveries} where ${webhookDeliveries.webhookId} = ${webhooks.id} and ${webhookDeliveries.nextTryAt} is not null)
  )
)`

/** A delivery to attempt now, with its webhook. */
export type Claimed = { delivery: DeliveryRow; webhook: WebhookRow }

/** How many may be taken in all, for a webhook, and for one that fails; and how many attempts are running, by webhook. */
type Free = { all: number; ofWebhook: number; ofFailing: number; busy: ReadonlyMap<string, number> }

/**
 * Takes deliveries that are due: first those of webhooks with the fewest running attempts, so that receivers that hang do not delay
 * the others. Each is due again after `leaseS`: the process may be killed during the attempt.
 */
export const claimDeliveries = async (tx: Tx, now: Date, free: Free, leaseS: number): Promise<Claimed[]> => {
  const { all, ofWebhook, ofFailing, busy } = free
  const at = sql`${now.toISOString()}::timestamptz`
  const ids = sql.param([...busy.keys()])
  const counts = sql.param([...busy.values()])
  const most = sql`case when w.failing_since is null then ${ofWebhook}::int else ${ofFailing}::int end`
  const due = sql`
    select due.id from ${webhooks} w
    left join unnest(${ids}::text[], ${counts}::int[]) as busy (id, n) on busy.id = w.id,
    lateral (
      select d.id, d.next_try_at from ${webhookDeliveries} d where d.webhook_id = w.id and d.next_try_at <= ${at}
      order by d.next_try_at limit greatest(0, ${most} - coalesce(busy.n, 0)) for update skip locked
    ) due
    where w.state <> 'disabled' order by coalesce(busy.n, 0), due.next_try_at limit ${all}`
  const claimed = await tx
    .update(webhookDeliveries)
    .set({ nextTryAt: sql`${at} + make_interval(secs => ${leaseS}::int)` })
    .where(sql`${webhookDeliveries.id} in (${due})`)
    .returning()
  if (claimed.length === 0) return []
  const webhookIds = [...new Set(claimed.map(({ webhookId }) => webhookId))]
  const rows = await tx.select().from(webhooks).where(inArray(webhooks.id, webhookIds))
  const byId = new Map(rows.map((row) => [row.id, row]))
  return claimed.flatMap((delivery) => {
    const webhook = byId.get(delivery.webhookId)
    return webhook ? [{ delivery, webhook }] : []
  })
}

/** False if it has ended meanwhile: by another process, or because the webhook was disabled. */
export const updateDelivery = async (tx: Tx, id: string, set: Partial<DeliveryRow>): Promise<boolean> => {
  const isWaiting = and(eq(webhookDeliveries.id, id), eq(webhookDeliveries.state, 'waiting'))
  const changed = await tx.update(webhookDeliveries).set(set).where(isWaiting).returning({ id: webhookDeliveries.id })
  return changed.length > 0
}

// By short statements.
const rowsAtOnce = 10_000

export const cancelDeliveries = async (tx: Tx, webhookId: string): Promise<void> => {
  for (let cancelled = rowsAtOnce; cancelled >= rowsAtOnce;) {
    const some = tx
      .select({ id: webhookDeliveries.id })
      .from(webhookDeliveries)
      .where(and(eq(webhookDeliveries.webhookId, webhookId), isNotNull(webhookDeliveries.nextTryAt)))
      .limit(rowsAtOnce)
    const { rowCount } = await tx
      .update(webhookDeliveries)
      .set({ state: 'cancelled', nextTryAt: null })
      .where(inArray(webhookDeliveries.id, some))
    cancelled = rowCount ?? 0
  }
}

const deleteWhere = async (tx: Tx, condition: SQL): Promise<void> => {
  for (let deleted = rowsAtOnce; deleted >= rowsAtOnce;) {
    const some = tx.select({ id: webhookDeliveries.id }).from(webhookDeliveries).where(condition).limit(rowsAtOnce)
    deleted = (await tx.delete(webhookDeliveries).where(inArray(webhookDeliveries.id, some))).rowCount ?? 0
  }
}

export const deleteDeliveriesBefore = (tx: Tx, time: Date): Promise<void> =>
  deleteWhere(tx, lt(webhookDeliveries.createdAt, time))

export const deleteDeliveriesOfDeletedWebhooks = async (tx: Tx): Promise<void> => {
  const { rows } = await tx.execute<{ id: string }>(sql`
    with recursive known as (
      select min(webhook_id) as id from ${webhookDeliveries}
      union all
      select (select min(webhook_id) from ${webhookDeliveries} where webhook_id > known.id) from known where known.id is not null
    )
    select id from known where id is not null and not exists (select from ${webhooks} where webhooks.id = known.id)`)
  for (const { id } of rows) await deleteWhere(tx, eq(webhookDeliveries.webhookId, id))
}
