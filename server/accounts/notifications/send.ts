import { nextId } from '../../core/ids'
import type { Tx } from '../../core/database/tx'
import type { Deps, Mail } from '../../core/deps'
import { hasOutbox } from '../../core/mail/has-outbox'
import { findRefusal } from '../../core/mail/refused'
import { insertShownMail } from '../../core/mail/repository'
import { findUser } from '../users/repository'
import { claimDueMail, type DueMail, endMails, setMailed } from './due-mails.repository'
import { describeNotification, linkOf } from './describe'
import { toMail } from './mail'
import { listProjectPeople } from './people.repository'
import { isTold } from './recipients'
import { factsOf, type NotificationRow } from './repository'
import { signUnsubscribing } from './unsubscribe-link'

/** A mail that was not sent after this time is given up: the notification is still in the console. */
const TRIED_MS = 24 * 3_600_000

const idsOf = (rows: readonly NotificationRow[]) => rows.map(({ id }) => id)

const isNotEmpty = (rows: NotificationRow[]): rows is DueMail => rows.length > 0

type Composed = { mail: Mail; rows: readonly NotificationRow[] }

/** The mail about the account of a person. */
const composeAboutAccount = async (tx: Tx, { config }: Deps, rows: DueMail): Promise<Composed | undefined> => {
  const user = await findUser(tx, rows[0].userId)
  if (!user) return undefined
  const items = rows.map((row) => {
    const facts = factsOf(row)
    const link = linkOf(facts, null)
    return { ...describeNotification(facts), url: link && config.urls.console + link }
  })
  return { rows, mail: toMail({ to: user.email, items, subject: items.at(-1)?.title ?? '', project: null }) }
}

/** The mail about a project, of what its reader may still see and wants to be told now; undefined if nothing is left. */
const composeAboutProject = async (tx: Tx, { config }: Deps, all: DueMail, projectId: string): Promise<Composed | undefined> => {
  const [person] = await listProjectPeople(tx, { projectIds: [projectId], userIds: [all[0].userId] })
  const rows = person ? all.filter(({ kind }) => isTold(kind, person)) : []
  if (!person || rows.length === 0) return undefined
  const { user, project, organization, version } = person
  const items = rows.map((row) => {
    const facts = factsOf(row)
    const link = linkOf(facts, { publicId: organization?.publicId ?? 'none', projectId })
    return { ...describeNotification(facts), url: link && config.urls.console + link }
  })
  const token = await signUnsubscribing(tx, { userId: user.id, projectId, version })
  const about = {
    name: project.name,
    unsubscribeUrl: `${config.urls['sign-in']}/unsubscribe/${token}`,
    settingsUrl: `${config.urls.console}/account/settings/notifications`,
  }
  const { title } = items.at(-1) ?? { title: '' }
  return { rows, mail: toMail({ to: user.email, items, subject: `${title} · ${project.name}`, project: about }) }
}

/** Rights and settings are those of this moment, also at each further attempt. */
const compose = (deps: Deps, due: DueMail): Promise<Composed | undefined> => {
  const { projectId } = due[0]
  return projectId === null ? composeAboutAccount(deps.db, deps, due) : composeAboutProject(deps.db, deps, due, projectId)
}

const sendOne = async (deps: Deps, due: DueMail): Promise<void> => {
  const { db, clock, config, log } = deps
  const tried = clock().getTime() - TRIED_MS
  const [late, fresh] = [due.filter(({ at }) => at.getTime() < tried), due.filter(({ at }) => at.getTime() >= tried)]
  const about = { user_id: due[0].userId, notification_ids: idsOf(fresh) }
  if (late.length > 0) log.error({ ...about, notification_ids: idsOf(late) }, 'notifications were not mailed within a day')
  const composed = isNotEmpty(fresh) ? await compose(deps, fresh) : undefined
  const rows = composed?.rows ?? []
  await endMails(db, idsOf(due.filter((row) => !rows.includes(row))))
  if (!composed) return
  try {
    await deps.mail(composed.mail)
  } catch (error) {
    const status = findRefusal(error)
    if (status !== undefined) await endMails(db, idsOf(rows))
    log.error(
      { err: error, ...about },
      status === undefined
        ? 'notifications were not mailed'
        : 'the mail server refuses this mail or its address: it is not sent again',
    )
    return
  }
  const now = clock()
  await db.transaction(async (tx) => {
    await setMailed(tx, idsOf(rows), now)
    const { to, subject, text } = composed.mail
    if (hasOutbox(config)) await insertShownMail(tx, { id: nextId(now), to, subject, text, at: now })
  })
}

/** Sends what is due: at least once, and one mail for each person and topic in a quarter of an hour. */
export const sendNotificationMails = async (deps: Deps): Promise<void> => {
  for (;;) {
    const due = await claimDueMail(deps.db, deps.clock())
    if (!due) return
    await sendOne(deps, due)
  }
}
