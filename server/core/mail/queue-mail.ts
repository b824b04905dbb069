import { and, count, eq, gt, inArray, sql } from 'drizzle-orm'
import { nextId } from '../ids'
import { mails } from '../database/schema/plumbing'
import type { Tx } from '../database/tx'
import type { Deps, Mail } from '../deps'
import { hashOf } from '../tokens/token'
import { hasOutbox } from './has-outbox'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** How long a first try may take before the job tries again. */
const TRY_MS = 5 * 60_000

export type Letter = Mail & {
  /**
   * Whether the mails of this kind are limited for each recipient: those that others can cause. A notice of what was done to
   * an account is not, and does not count: many other mails must not keep it away.
   */
  limited: boolean
  /** SHA-256 of the secret in the link, by which the text is emptied once the link was used. */
  linkHash?: string
}

/** The mailbox behind an address: most mail servers ignore case and what follows a `+`. */
const toMailbox = (address: string): string => address.toLowerCase().replace(/\+[^@]*(?=@)/, '')

/**
 * Takes the locks under which mails to these addresses are counted, until the transaction ends. Needed before several mails of one
 * transaction: in one order, so that two transactions never wait for each other.
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

/** Sends a mail and empties its text, which only the outbox still needs. Throws what the mail server refuses. */
export const deliver = async (deps: Deps, { id, to, subject, text }: Mail & { id: string }): Promise<void> => {
  await deps.mail({ to, subject, text })
  const sent = { sentAt: deps.clock(), nextTryAt: null, ...(!hasOutbox(deps.config) && { text: '' }) }
  await deps.db.update(mails).set(sent).where(eq(mails.id, id))
}

/**
 * Writes a mail with the change that causes it; the answer sends it once that has been committed. Over the limit of its
 * recipient nothing is written and the answer does nothing, so that the caller cannot tell: the log says so.
 */
export const queueMail = async (tx: Tx, deps: Deps, letter: Letter): Promise<() => void> => {
  const { limited, to, subject, text, linkHash = null } = letter
  const createdAt = deps.clock()
  const recipient = limited ? toMailbox(to) : null
  if (recipient !== null) {
    await lockRecipients(tx, [to])
    if (await isOverLimit(tx, deps, recipient)) {
      deps.log.warn({ recipient_hash: hashOf(recipient) }, 'a mail was withheld: its recipient had too many')
      return () => {}
    }
  }
  const id = nextId(createdAt)
  const nextTryAt = new Date(createdAt.getTime() + TRY_MS)
  await tx.insert(mails).values({ id, to, recipient, subject, text, linkHash, createdAt, nextTryAt })
  return () => {
    // The person does not wait for the mail server; what did not go out is sent by the job.
    deliver(deps, { id, to, subject, text }).catch((error: unknown) =>
      deps.log.error({ err: error, mail_id: id }, 'a mail was not sent'),
    )
  }
}

/** Takes as long as `queueMail`, and leaves no mail. The letter must have the hash of a link. */
export const queueNothing = async (tx: Tx, deps: Deps, letter: Letter & { linkHash: string }): Promise<() => void> => {
  await queueMail(tx, deps, letter)
  await tx.delete(mails).where(eq(mails.linkHash, letter.linkHash))
  return () => {}
}

/** Empties the mails whose links were used or withdrawn; what was not sent yet is not sent any more. */
export const emptyMails = async (tx: Tx, linkHashes: readonly string[]): Promise<void> => {
  if (linkHashes.length === 0) return
  await tx
    .update(mails)
    .set({ text: '', nextTryAt: null })
    .where(inArray(mails.linkHash, [...linkHashes]))
}
