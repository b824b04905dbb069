import { and, eq, inArray, isNotNull, lte, sql } from 'drizzle-orm'
import { mailDistanceS } from '../../../contract/accounts/notifications'
import type { Tx } from '../../core/database/tx'
import { secondsAfter } from '../../core/days'
import { notifications } from '../schema/notifications'
import type { NotificationRow } from './repository'

/** A condition: one that waits only for the distance to the last mail counts too. */
export const areMailsDue = sql`exists (select from ${notifications} where ${notifications.mailAt} <= now())`

/** One mail has all that is due of one topic for one person, oldest first. */
export type DueMail = [NotificationRow, ...NotificationRow[]]

/**
 * Takes the notifications of one mail. The next attempt is stored before this one: after five minutes, later as late as the oldest of
 * them is old. A process that is killed only delays it. Undefined if none is due.
 */
export const claimDueMail = (db: Tx, now: Date): Promise<DueMail | undefined> =>
  db.transaction(async (tx) => {
    // One after another: two processes would share the notifications of a mail.
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('notification mails', 5))`)
    const at = sql`${now.toISOString()}::timestamptz`
    const recent = tx
      .select({ one: sql`1` })
      .from(sql`${notifications} as sent`)
      .where(
        sql`sent.topic = ${notifications.topic} and sent.user_id = ${notifications.userId}
          and sent.mailed_at > ${secondsAfter(now, -mailDistanceS).toISOString()}::timestamptz`,
      )
    const [first] = await tx
      .select({ userId: notifications.userId, topic: notifications.topic })
      .from(notifications)
      .where(and(lte(notifications.mailAt, now), sql`not exists ${recent}`))
      .orderBy(notifications.mailAt)
      .limit(1)
    if (!first) return undefined
    const mine = and(
      eq(notifications.userId, first.userId),
      eq(notifications.topic, first.topic),
      isNotNull(notifications.mailAt),
    )
    const oldest = sql`(select min(${notifications.at}) from ${notifications} where ${mine})`
    const taken = await tx
      .update(notifications)
      .set({ mailAt: sql`${at} + greatest(interval '5 minutes', ${at} - ${oldest})` })
      .where(mine)
      .returning()
    const [one, ...others] = taken.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    return one && [one, ...others]
  })

/** After the mail server took them. */
export const setMailed = async (tx: Tx, ids: readonly string[], now: Date): Promise<void> => {
  await tx
    .update(notifications)
    .set({ mailedAt: now, mailAt: null })
    .where(inArray(notifications.id, [...ids]))
}

/** They are not mailed any more. */
export const endMails = async (tx: Tx, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return
  await tx
    .update(notifications)
    .set({ mailAt: null })
    .where(inArray(notifications.id, [...ids]))
}
