import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { deleteAccount } from '../../contract/accounts/account-deletion'
import { createAccessToken, revokeAccessToken } from '../../contract/accounts/access-tokens'
import { followEvents, maxEventStreams, storedEvents } from '../../contract/overview/event-stream'
import { pathOf } from '../../contract/core/endpoint'
import { updateProject } from '../../contract/accounts/project-changes'
import { project as projectEndpoint } from '../../contract/accounts/projects'
import { createTag } from '../../contract/fleet/tags'
import { deleteCurrentSession } from '../../contract/accounts/sessions'
import { members } from '../../server/accounts/schema/organizations'
import { emitEvent, emitEvents } from '../../server/core/events/emit'
import { nextId } from '../../server/core/ids'
import { givePassword } from '../support/account'
import { type As, authorization, createTestApi, type TestApi } from '../support/api'
import { within } from '../support/machine-load'

let api: TestApi
let port: number
beforeAll(async () => {
  api = await createTestApi()
  await api.app.listen({ port: 0, host: '127.0.0.1' })
  port = (api.app.server.address() as AddressInfo).port
})
afterAll(() => api.close())

const own = async () => {
  const ann = await api.person({ name: 'Ann' })
  return { ann, projectId: await api.project({ ownerId: ann.id }) }
}

const opened: IncomingMessage[] = []

/** An open stream with the text that it has received. */
const open = async (projectId: string, as: As, lastId?: string) => {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = {
      host: new URL(api.config.urls.api).host,
      ...authorization(as),
      ...(lastId !== undefined && { 'last-event-id': lastId }),
    }
    request({ port, host: '127.0.0.1', path: pathOf(followEvents.path, { projectId }), headers })
      .on('response', resolve)
      .on('error', reject)
      .end()
  })
  opened.push(answer)
  const got = { text: '', ended: false }
  answer.setEncoding('utf8').on('data', (part: string) => (got.text += part))
  answer.on('end', () => (got.ended = true)).on('error', () => {})
  return { answer, got, close: () => answer.destroy() }
}
const begun = async (projectId: string, as: As, lastId?: string) => {
  const stream = await open(projectId, as, lastId)
  expect(stream.answer.statusCode).toBe(200)
  // The first answer after the opening: from here on it follows.
  await expect.poll(() => stream.got.text, { timeout: within(5000) }).toMatch(/: open\n\n[^]*\n\n/)
  return stream
}

const settings = (projectId: string) => ({
  type: 'project.settings_updated' as const,
  projectId,
  data: { project: { id: projectId, name: 'Gateways' }, by: null },
})
const idsIn = (text: string) => [...text.matchAll(/^id: (\S+)$/gm)].map(([, id]) => id)

it('a stream ends at once when the account of its reader is deleted, by a session or an access token', async () => {
  const ann = await api.person()
  const owner = await api.person()
  const { id: organizationId } = await api.organization(owner)
  await api.db.insert(members).values({ organizationId, userId: ann.id, baseRole: 'admin', joinedAt: api.deps.clock() })
  const projectId = await api.project({ organizationId })
  const made = { name: 'CI', permissions: ['project:view' as const], lifetime_days: null }
  const { token } = (await api.call(createAccessToken, { projectId }, { as: ann, body: made })).body
  const streams = [await begun(projectId, ann), await begun(projectId, token)]
  const current_password = await givePassword(api, ann)
  const gone = await api.call(deleteAccount, {}, { as: ann, body: { confirm_email: ann.email, current_password } })
  expect(gone.status, gone.text).toBe(204)
  await expect.poll(() => streams.map(({ got }) => got.ended), { timeout: within(5000) }).toEqual([true, true])
  expect((await open(projectId, token)).answer.statusCode).toBe(401)
})

it('an event is sent after its commit, once, and a stream continues after the last event that it is given', async () => {
  const { ann, projectId } = await own()
  const { projectId: other } = await own()
  const first = await begun(projectId, ann)
  expect(first.answer.headers['content-type']).toBe('text/event-stream; charset=utf-8')
  const { headers } = await api.call(projectEndpoint, { projectId }, { as: ann })
  const body = { settings: { polling_interval_s: 120 } } as never
  const changed = await api.call(updateProject, { projectId }, { as: ann, body, headers: { 'if-match': String(headers.etag) } })
  expect(changed.status, changed.text).toBe(200)
  await emitEvent(api.db, settings(other), api.deps.clock())
  await expect.poll(() => idsIn(first.got.text), { timeout: within(5000) }).toHaveLength(1)
  expect(first.got.text).toContain('"type":"project.settings_updated"')
  const [lastId = ''] = idsIn(first.got.text)
  first.close()
  const ids = [nextId(api.deps.clock()), nextId(api.deps.clock())] as const
  await emitEvents(
    api.db,
    ids.map((id) => ({ ...settings(projectId), id })),
    api.deps.clock(),
  )
  const second = await begun(projectId, ann, lastId)
  await expect.poll(() => idsIn(second.got.text), { timeout: within(5000) }).toEqual([...ids])
  // Nothing is sent twice when more arrives.
  await emitEvent(api.db, settings(projectId), api.deps.clock())
  await expect.poll(() => idsIn(second.got.text), { timeout: within(5000) }).toHaveLength(3)
  const { body: stored } = await api.call(storedEvents, { projectId }, { as: ann, query: { after: ids[0] } })
  expect(stored.events.map(({ id }) => id)).toEqual(idsIn(second.got.text).slice(1))
  const page = await api.call(storedEvents, { projectId }, { as: ann, query: { limit: 1 } })
  expect([page.body.events.length, page.body.next_after]).toEqual([1, lastId])
  second.close()
})

it('an event with an earlier id than the last one is sent too, and does not move the last id back', async () => {
  const { ann, projectId } = await own()
  const old = nextId(new Date(api.deps.clock().getTime() - 3_600_000))
  const stream = await begun(projectId, ann)
  await emitEvent(api.db, settings(projectId), api.deps.clock())
  await expect.poll(() => idsIn(stream.got.text), { timeout: within(5000) }).toHaveLength(1)
  await emitEvent(api.db, { ...settings(projectId), id: old }, api.deps.clock())
  await expect.poll(() => stream.got.text, { timeout: within(5000) }).toContain(`"id":"${old}"`)
  expect(idsIn(stream.got.text)).toHaveLength(1)
  stream.close()
})

it('a change that is no event is announced without its content, and an unknown last event asks to read again', async () => {
  const { ann, projectId } = await own()
  const stream = await begun(projectId, ann, 'something')
  expect(stream.got.text).toContain('event: reset\n')
  await api.call(createTag, { projectId }, { as: ann, body: { name: 'secret-name', colour: 'sky' } })
  await expect.poll(() => stream.got.text, { timeout: within(5000) }).toContain('event: changed\ndata:\n\n')
  expect(stream.got.text).not.toContain('secret-name')
  stream.close()
})

it('after its connection for notifications was cut the process reads what it missed', async () => {
  const { ann, projectId } = await own()
  const stream = await begun(projectId, ann)
  const cut = sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'teasel events' and datname = current_database()`
  expect((await api.ownerDb.execute(cut)).rows).toHaveLength(1)
  await emitEvent(api.db, settings(projectId), api.deps.clock())
  await expect.poll(() => idsIn(stream.got.text), { timeout: within(10_000) }).toHaveLength(1)
  await emitEvent(api.db, settings(projectId), api.deps.clock())
  await expect.poll(() => idsIn(stream.got.text), { timeout: within(5000) }).toHaveLength(2)
  stream.close()
})

it('a stream ends with its session and with its token, without the event that follows', async () => {
  const { ann, projectId } = await own()
  const body = { name: 'ci', permissions: ['project:view' as const], lifetime_days: 30 as const }
  const { body: made } = await api.call(createAccessToken, { projectId }, { as: ann, body })
  const session = await api.session(ann.id)
  const byToken = await begun(projectId, made.token)
  const bySession = await begun(projectId, session)
  await api.call(deleteCurrentSession, {}, { as: session })
  await api.call(revokeAccessToken, { accessTokenId: made.id }, { as: ann })
  await emitEvent(api.db, settings(projectId), api.deps.clock())
  await expect.poll(() => [byToken.got.ended, bySession.got.ended], { timeout: within(5000) }).toEqual([true, true])
  expect([idsIn(byToken.got.text), idsIn(bySession.got.text)]).toEqual([[], []])
  expect((await open(projectId, made.token)).answer.statusCode).toBe(401)
})

it('a person has at most so many streams, and a closed one makes room', async () => {
  const { ann, projectId } = await own()
  const streams = await Promise.all(Array.from({ length: maxEventStreams }, () => begun(projectId, ann)))
  const one = await open(projectId, ann)
  expect(one.answer.statusCode).toBe(429)
  await expect.poll(() => one.got.ended).toBe(true)
  expect(JSON.parse(one.got.text)).toMatchObject({ error: { code: 'too_many_streams', about: { limit: maxEventStreams } } })
  const ben = await own()
  ;(await begun(ben.projectId, ben.ann)).close()
  streams[0]?.close()
  await expect.poll(async () => (await open(projectId, ann)).answer.statusCode, { timeout: within(5000) }).toBe(200)
  for (const answer of opened) answer.destroy()
})

it('a host that closes ends its streams', async () => {
  const { ann, projectId } = await own()
  const stream = await begun(projectId, ann)
  const closing = api.app.close()
  await expect.poll(() => stream.got.ended, { timeout: within(5000) }).toBe(true)
  await closing
})
