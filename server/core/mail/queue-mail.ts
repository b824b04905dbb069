import { and, count, eq, gt, inArray, sql } from 'drizzle-orm'
import { nextId } from '../ids'
import { mails } from '../database/schema/plumbing'
import type { Tx } from '../database/tx'
import type { Deps, Mail } from '../deps'
import { hashOf } from '../tokens/token'
import { hasOutbox } from './has-outbox'
import { findRefusal } from './refused'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** How long a first attempt may take before the job retries. */
const TRY_MS = 5 * 60_000

export type Letter = Mail & {
  /**
   * Whether mails of this kind are limited per recipient: those that other people can cause. A notice about a change of the
   * account is not limited and does not count, so that many other mails cannot suppress it.
   */
  limited: boolean
  /** SHA-256 of the secret in the link; the text is emptied once the link was used. */
  linkHash?: string
}

/** The mailbox of an address: most mail servers ignore case and the part after a `+`. */
const toMailbox = (address: string): string => {
  const [name = '', ...host] = address.toLowerCase().split('@')
  return [name.split('+', 1)[0], ...host].join('@')
}

/**
 * Takes the locks for counting mails to these addresses, until the transaction ends. Needed before several mails of one
 * transaction: in a fixed order, so that two transactions cannot deadlock.
 */
export const lockRecipients = async (tx: Tx, addresses: readonly string[]): Promise<void> => {
  for (const mailbox of [...new Set(addresses.map(toMailbox))].toSorted())
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`mail ${mailbox}`}, 4))`)
}

const isOverLimit = async (tx: Tx, { config, clock }: Deps, recipient: string): Promise<boolean> => {
  const now = clock().getTime()
  const since = (ms: number) => new Date(now - ms)
  const [sent] = await tx
    .select({ hour: count(sql`case when ${gt(mails.createdAt, since(HOUR_MS))} then 1 end`), day: count() })
    .from(mails)
    .where(and(eq(mails.recipient, recipient), gt(mails.createdAt, since(DAY_MS))))
  const { mailsPerHour, mailsPerDay } = config.limits
  return (sent?.hour ?? 0) >= mailsPerHour || (sent?.day ?? 0) >= mailsPerDay
}

/**
 * Sends a mail and empties its text, which only the outbox still needs. Throws the mail server's refusal; a mail that it refuses for
 * good is not sent again.
 */
export const deliver = async (deps: Deps, { id, to, subject, text }: Mail & { id: string }): Promise<void> => {
  try {
    await deps.mail({ to, subject, text })
  } catch (error) {
    if (findRefusal(error) !== undefined) await deps.db.update(mails).set({ nextTryAt: null, text: '' }).where(eq(mails.id, id))
    throw error
  }
  const sent = { sentAt: deps.clock(), nextTryAt: null, ...(!hasOutbox(deps.config) && { text: '' }) }
  await deps.db.update(mails).set(sent).where(eq(mails.id, id))
}

/**
 * Stores a mail in the transaction of its change; call the returned function after the commit to send it. Above the limit of
 * its recipient nothing is stored and the function does nothing: the caller sees no difference, and the log has a line.
 */
export const queueMail = async (tx: Tx, deps: Deps, letter: Letter): Promise<() => void> => {
  const { limited, to, subject, text, linkHash = null } = letter
  const createdAt = deps.clock()
  const recipient = limited ? toMailbox(to) : null
  if (recipient !== null) {
    await lockRecipients(tx, [to])
    if (await isOverLimit(tx, deps, recipient)) {
      deps.log.warn({ recipient_hash: hashOf(recipient) }, 'a mail was suppressed: its recipient had too many')
      return () => {}
    }
  }
  const id = nextId(createdAt)
  const nextTryAt = new Date(createdAt.getTime() + TRY_MS)
  await tx.insert(mails).values({ id, to, recipient, subject, text, linkHash, createdAt, nextTryAt })
  return () => {
    // The user does not wait for the mail server; the job sends what failed.
    deliver(deps, { id, to, subject, text }).catch((error: unknown) =>
      deps.log.error({ err: error, mail_id: id }, 'a mail was not sent'),
    )
  }
}

/**
 * Takes as long as `queueMail` without storing a mail, and so does the returned function after the commit. The letter must have the
 * hash of a link.
 */
export const queueNothing = async (tx: Tx, deps: Deps, letter: Letter & { linkHash: string }): Promise<() => void> => {
  await queueMail(tx, deps, letter)
  const isOfLetter = eq(mails.linkHash, letter.linkHash)
  await tx.delete(mails).where(isOfLetter)
  return () => {
    const sent = deps.db.update(mails).set({ nextTryAt: null }).where(isOfLetter)
    sent.catch((error: unknown) => deps.log.error({ err: error }, 'the database did not answer'))
  }
}

/** Empties the mails whose links were used or withdrawn; unsent ones are not sent any more. */
export const emptyMails = async (tx: Tx, linkHashes: readonly string[]): Promise<void> => {
  if (linkHashes.length === 0) return
  await tx
    .update(mails)
    .set({ text: '', nextTryAt: null })
    .where(inArray(mails.linkHash, [...linkHashes]))
}
