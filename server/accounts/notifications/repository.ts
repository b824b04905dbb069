import { and, count, desc, eq, gt, inArray, isNull, lte, or, type SQL, sql } from 'drizzle-orm'
import { maxUnread, type NotificationLevel } from '../../../contract/accounts/notifications'
import type { Tx } from '../../core/database/tx'
import { paging } from '../../core/http/paging'
import { invites } from '../schema/invites'
import { notifications, notificationSettings } from '../schema/notifications'
import { isSentByInviter } from '../invites/repository'
import type { NotificationFacts } from './facts'

export type NotificationRow = typeof notifications.$inferSelect
/** The texts are made of these. */
export const factsOf = ({ kind, data }: NotificationRow): NotificationFacts =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the data of a row is that of its kind
  ({ kind, data }) as NotificationFacts
export type NewNotification = Omit<NotificationRow, 'readAt' | 'mailedAt'>

export const insertNotifications = async (tx: Tx, rows: readonly NewNotification[]): Promise<void> => {
  // A statement takes at most 65,535 parameters.
  const atOnce = 1000
  for (let from = 0; from < rows.length; from += atOnce) await tx.insert(notifications).values(rows.slice(from, from + atOnce))
}

/** `projectIds`: those that the person may see now. Invites are shown while they are open. */
const visible = (userId: string, projectIds: readonly string[]): SQL | undefined => {
  const open = sql`exists (select from ${invites} e
    where 'invite ' || e.id = ${notifications.topic} and e.state = 'pending' and ${isSentByInviter})`
  const isOfPerson = and(isNull(notifications.projectId), or(sql`${notifications.kind} <> 'invite.received'`, open))
  return and(eq(notifications.userId, userId), or(isOfPerson, inArray(notifications.projectId, [...projectIds])))
}

export const listNotifications = async (
  tx: Tx,
  userId: string,
  projectIds: readonly string[],
  query: { limit?: number; cursor?: string },
) => {
  const page = paging(query, { id: notifications.id }, notifications.id, '-id')
  const rows = await tx
    .select()
    .from(notifications)
    .where(and(visible(userId, projectIds), page.after))
    .orderBy(desc(notifications.id))
    .limit(page.take)
  return page.cut(rows, ({ id }) => [id, id])
}

/** At most `maxUnread`. */
export const countUnread = async (tx: Tx, userId: string, projectIds: readonly string[]): Promise<number> => {
  const some = tx
    .select({ one: sql`1`.as('one') })
    .from(notifications)
    .where(and(visible(userId, projectIds), isNull(notifications.readAt)))
    .limit(maxUnread)
    .as('some')
  const [counted] = await tx.select({ n: count() }).from(some)
  return counted?.n ?? 0
}

export const findNotificationOwner = async (tx: Tx, id: string): Promise<{ ownerId: string } | undefined> => {
  const [found] = await tx.select({ ownerId: notifications.userId }).from(notifications).where(eq(notifications.id, id))
  return found
}

const markRead = async (tx: Tx, where: SQL | undefined, now: Date): Promise<void> => {
  await tx
    .update(notifications)
    .set({ readAt: now })
    .where(and(where, isNull(notifications.readAt)))
}

export const markReadThrough = (tx: Tx, userId: string, id: string, now: Date): Promise<void> =>
  markRead(tx, and(eq(notifications.userId, userId), lte(notifications.id, id)), now)

export const markOneRead = (tx: Tx, id: string, now: Date): Promise<void> => markRead(tx, eq(notifications.id, id), now)

/** Whether anybody was told of this topic after this time. */
export const isToldSince = async (tx: Tx, topic: string, after: Date): Promise<boolean> => {
  const some = tx
    .select({ id: notifications.id })
    .from(notifications)
    .where(and(eq(notifications.topic, topic), gt(notifications.at, after)))
  return (await some.limit(1)).length > 0
}

export const deleteTopic = async (tx: Tx, topic: string): Promise<void> => {
  await tx.delete(notifications).where(eq(notifications.topic, topic))
}

export const deleteNotificationsBefore = async (tx: Tx, time: Date): Promise<void> => {
  await tx.delete(notifications).where(lte(notifications.at, time))
}

/** What a person wants to be told about a project; the links of earlier mails end. */
export const saveNotificationLevel = async (
  tx: Tx,
  key: { userId: string; projectId: string },
  level: NotificationLevel,
): Promise<void> => {
  await tx
    .insert(notificationSettings)
    .values({ ...key, level, version: 1 })
    .onConflictDoUpdate({
      target: [notificationSettings.userId, notificationSettings.projectId],
      set: { level, version: sql`${notificationSettings.version} + 1` },
    })
}

/** By an unsubscribe link, which stays valid. */
export const saveUnsubscribed = async (tx: Tx, key: { userId: string; projectId: string }): Promise<void> => {
  await tx
    .insert(notificationSettings)
    .values({ ...key, level: 'nothing', version: 0 })
    .onConflictDoUpdate({ target: [notificationSettings.userId, notificationSettings.projectId], set: { level: 'nothing' } })
}
