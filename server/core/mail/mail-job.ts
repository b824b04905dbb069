import { and, asc, inArray, isNotNull, isNull, lte, ne, or, sql } from 'drizzle-orm'
import { mails } from '../database/schema/plumbing'
import type { Deps } from '../deps'
import { deliver } from './queue-mail'
import { hasOutbox } from './has-outbox'

const DAY_MS = 24 * 3_600_000
const KEPT_MS = 7 * DAY_MS
const AT_ONCE = 20

/**
 * Empties texts that are a day old, and sent texts that no outbox shows: left by a process that ended in between, or by former
 * settings.
 */
const emptyTexts = async ({ db, clock, config }: Deps) => {
  const old = lte(mails.createdAt, new Date(clock().getTime() - DAY_MS))
  const spent = hasOutbox(config) ? old : or(old, and(isNotNull(mails.sentAt), isNull(mails.nextTryAt)))
  await db
    .update(mails)
    .set({ text: '', nextTryAt: null })
    .where(and(ne(mails.text, ''), spent))
}

/**
 * Retries unsent mails for a day. After a failure each mail waits as long as its age, at least five minutes: about ten
 * attempts. The next attempt is stored before this one, so that a process that ends meanwhile only delays the mail.
 */
const sendAgain = async (deps: Deps) => {
  const { db, clock, log } = deps
  const now = clock()
  const due = await db.transaction(async (tx) => {
    const found = await tx
      .select({ id: mails.id })
      .from(mails)
      .where(lte(mails.nextTryAt, now))
      .orderBy(asc(mails.nextTryAt))
      .limit(AT_ONCE)
      .for('update', { skipLocked: true })
    if (found.length === 0) return []
    const at = sql`${now.toISOString()}::timestamptz`
    return tx
      .update(mails)
      .set({ nextTryAt: sql`${at} + greatest(interval '5 minutes', ${at} - ${mails.createdAt})` })
      .where(
        inArray(
          mails.id,
          found.map(({ id }) => id),
        ),
      )
      .returning()
  })
  for (const mail of due)
    await deliver(deps, mail).catch((error: unknown) => log.error({ err: error, mail_id: mail.id }, 'a mail was not sent again'))
}

/** Empties and deletes old mails (the text after a day, the rest after a week), and retries those that are due. */
export const maintainMails = async (deps: Deps): Promise<void> => {
  await emptyTexts(deps)
  await deps.db.delete(mails).where(lte(mails.createdAt, new Date(deps.clock().getTime() - KEPT_MS)))
  await sendAgain(deps)
}
