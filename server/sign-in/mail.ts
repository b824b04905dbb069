import { eq } from 'drizzle-orm'
import { ulid } from 'ulid'
import { mails } from '../database/schema/plumbing'
import type { Tx } from '../database/tx'
import type { Deps, Mail } from '../deps'

/** Writes a mail with the change that causes it; the answer sends it once that has been committed. */
export const queueMail = async (tx: Tx, deps: Deps, mail: Mail): Promise<() => void> => {
  const id = ulid(deps.clock().getTime())
  await tx.insert(mails).values({ id, ...mail, createdAt: deps.clock() })
  return () => {
    const send = async () => {
      await deps.mail(mail)
      await deps.db.update(mails).set({ sentAt: deps.clock() }).where(eq(mails.id, id))
    }
    // The person does not wait for the mail server; what did not go out stays unsent in the table.
    send().catch((error: unknown) => deps.log.error({ err: error, mail_id: id }, 'a mail was not sent'))
  }
}
