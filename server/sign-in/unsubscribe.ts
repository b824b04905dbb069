import type { FastifyInstance, FastifyRequest } from 'fastify'
import { recordUserAudit } from '../accounts/users/user-audit'
import { listProjectPeople, type ProjectPerson } from '../accounts/notifications/people.repository'
import { saveUnsubscribed } from '../accounts/notifications/repository'
import { readUnsubscribing } from '../accounts/notifications/unsubscribe-link'
import { findUser } from '../accounts/users/repository'
import type { Tx } from '../core/database/tx'
import { show, type SignInHost } from './host'
import { html } from '../core/html'
import { transact } from '../core/http/database-errors'

type Token = { Params: { token: string } }

/** The person and project of a link that is valid; undefined for one that was forged, has ended, or has nothing left to end. */
const findAsked = async (tx: Tx, token: string): Promise<ProjectPerson | undefined> => {
  const asked = await readUnsubscribing(tx, token)
  if (!asked) return undefined
  const [person] = await listProjectPeople(tx, { projectIds: [asked.projectId], userIds: [asked.userId] })
  return person?.version === asked.version ? person : undefined
}

// RFC 8058 §3.1: the body is url-encoded or multipart. The token alone is the proof, so that its content does not matter.
const takeMultipart = (app: FastifyInstance) =>
  app.addContentTypeParser('multipart/form-data', { parseAs: 'buffer' }, (_request, _body, done) => done(null, {}))

/** Links of mails: they work without a session, and end the mails about one project. */
export const unsubscribeRoutes = ({ app: host, deps }: SignInHost): void => {
  const { db, config, clock } = deps
  const settings = `${config.urls.console}/account/settings/notifications`
  const title = 'Unsubscribe'
  const ended = html`<h1>This link no longer works</h1>
    <p>Links of earlier mails end when you change your notification settings or leave the project.</p>
    <p class="after"><a href="${settings}">Open your notification settings</a></p>`
  const done = (project: string) =>
    html`<h1>You are unsubscribed</h1>
      <p>You get no more mails and notifications about the project <strong>${project}</strong>.</p>
      <p class="after"><a href="${settings}">Undo this in your notification settings</a></p>`

  const unsubscribe = async (tx: Tx, request: FastifyRequest, token: string): Promise<ProjectPerson | undefined> => {
    const found = await findAsked(tx, token)
    const user = found && (await findUser(tx, found.user.id))
    if (!found || !user) return undefined
    if (found.level === 'nothing') return found
    await saveUnsubscribed(tx, { userId: user.id, projectId: found.project.id })
    const about = {
      target: { kind: 'project', ...found.project },
      credential: { kind: 'unsubscribe_link', id: null },
      changes: [{ field: 'level', before: found.level, after: 'nothing' }],
    }
    await recordUserAudit(tx, request, { action: 'user.notifications_change', user, proven: false, now: clock(), about })
    return found
  }

  void host.register(async (app) => {
    takeMultipart(app)
    // A mail scanner may follow links: only a POST changes anything.
    app.get<Token>('/unsubscribe/:token', async ({ params: { token } }, reply) => {
      const found = await findAsked(db, token)
      if (!found) return show(reply, deps, { title, status: 404, main: ended })
      const { name } = found.project
      if (found.level === 'nothing') return show(reply, deps, { title, main: done(name) })
      const main = html`<h1>Unsubscribe</h1>
        <p>Stop mails and notifications about the project <strong>${name}</strong>?</p>
        <form method="post" action="/unsubscribe/${token}">
          <button class="primary" name="List-Unsubscribe" value="One-Click">Unsubscribe</button>
        </form>
        <p class="after"><a href="${settings}">Choose what you are told instead</a></p>`
      return show(reply, deps, { title, main })
    })

    app.post<Token>('/unsubscribe/:token', async (request, reply) => {
      const found = await transact(db, (tx) => unsubscribe(tx, request, request.params.token))
      return found
        ? show(reply, deps, { title, main: done(found.project.name) })
        : show(reply, deps, { title, status: 404, main: ended })
    })
  })
}
