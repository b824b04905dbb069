import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { setAvatar } from '../../contract/accounts/account'
import { type Endpoint, pathOf } from '../../contract/core/endpoint'
import { endpoints } from '../../contract/endpoints'
import { saveProfile } from '../../contract/accounts/profile'
import { organizationProjects } from '../../contract/accounts/projects'
import { createPersonalProject } from '../../contract/accounts/project-changes'
import { createTag, deleteTag } from '../../contract/fleet/tags'
import { createApi, type Refusal } from './client'
import { ApiError } from './failure'

const token = `ses_${'a'.repeat(43)}check6`

type Sent = Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { body: Buffer }
/** The answer of the server to every request. */
let answer: { status: number; body?: unknown }
let sent: Sent[] = []
let refusals: Refusal[] = []
let held: string | null = token

const server = createServer((request, response) => {
  const { method, url, headers } = request
  void buffer(request).then((body) => {
    sent.push({ method, url, headers, body })
    const text = answer.body === undefined ? undefined : JSON.stringify(answer.body)
    response.writeHead(answer.status, text === undefined ? {} : { 'content-type': 'application/json' }).end(text)
  })
})
let base: string
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
afterEach(() => {
  sent = []
  refusals = []
  held = token
})

/** The client of the console. Its types ask for the fields of each endpoint; here the same call is made for any of them. */
const api = (endpoint: Endpoint, params: object = {}, options: object = {}): Promise<unknown> => {
  const client = createApi({ base, token: () => held, onRefused: (refusal) => void refusals.push(refusal) })
  return (client as (...call: unknown[]) => Promise<unknown>)(endpoint, params, options)
}
const failureOf = async (call: Promise<unknown>) => {
  const error: unknown = await call.catch((thrown: unknown) => thrown)
  if (!(error instanceof ApiError)) throw new Error(`not refused: ${String(error)}`)
  return error.failure
}
const refusalBody = {
  error: {
    code: 'in_use',
    message: 'Two devices use it',
    details: [{ field: 'name', code: 'taken', message: 'Name is taken' }],
    request_id: 'r1',
    about: { devices: 2 },
  },
}
const removeTag = () => api(deleteTag, { tagId: 't1' }, { ifMatch: 3 })

describe('§7 the result of a mutation', () => {
  it.each([200, 201, 202, 204, 302, 304, 399])('%d is success', async (status) => {
    answer = { status }
    await expect(removeTag()).resolves.toBeUndefined()
    expect(sent).toHaveLength(1)
    expect(refusals).toEqual([])
  })

  it.each([400, 401, 402, 403, 404, 409, 412, 418, 422, 429, 500, 503])(
    '%d rejects with the error details and the data of the answer, without another try',
    async (status) => {
      answer = { status, body: refusalBody }
      expect(await failureOf(removeTag())).toMatchObject({
        status,
        code: 'in_use',
        message: 'Two devices use it',
        details: refusalBody.error.details,
        requestId: 'r1',
        about: { devices: 2 },
      })
      expect(sent).toHaveLength(1)
    },
  )

  it('a refusal without the error JSON counts by its status', async () => {
    answer = { status: 502 }
    expect(await failureOf(removeTag())).toMatchObject({ status: 502, code: 'unknown', details: [] })
  })
})

describe('§7 a request', () => {
  const rows = Object.entries(endpoints)
  const params = new Proxy<Record<string, string>>({}, { get: (_, name) => `a/${String(name)}?` })

  it('R14: goes to the base address and the path of its endpoint, joined by one slash, for every endpoint', async () => {
    answer = { status: 400 }
    expect(rows.length).toBeGreaterThan(100)
    for (const [name, endpoint] of rows) {
      sent = []
      await failureOf(api(endpoint, params))
      const wanted = endpoint.path.replace(/:(\w+)/g, (_, param: string) => `a%2F${param}%3F`)
      expect([name, sent.map(({ method, url }) => [method, url])]).toEqual([name, [[endpoint.method, wanted]]])
      expect([name, wanted]).toEqual([name, expect.stringMatching(/^(\/[^/]+)+$/)])
    }
    // The specification writes this one without its first slash.
    expect(pathOf(organizationProjects.path, { organizationId: 'org_1' })).toBe('/organizations/org_1/projects')
  })

  it('has the token in the session header, for every endpoint, and no such header without a session', async () => {
    answer = { status: 400 }
    for (const [, endpoint] of rows) await failureOf(api(endpoint, params))
    expect(sent.map(({ headers }) => headers['x-session-token'])).toEqual(rows.map(() => token))
    sent = []
    held = null
    await failureOf(removeTag())
    expect(sent.map(({ headers }) => 'x-session-token' in headers)).toEqual([false])
  })

  it('R15: the profile is url-encoded', async () => {
    answer = { status: 400 }
    const body = { first_name: 'Ines & Mara', role: 'other:fire: tamer', platform_applications: 'secure_ota_updates,other' }
    await failureOf(api(saveProfile, {}, { body }))
    const [profile] = sent
    expect([profile?.method, profile?.url]).toEqual(['POST', '/user_profile'])
    expect(profile?.headers['content-type']).toMatch(/^application\/x-www-form-urlencoded\b/)
    expect(Object.fromEntries(new URLSearchParams(profile?.body.toString()))).toEqual(body)
  })

  it('with a file among its values is multipart, built from the key/value object', async () => {
    answer = { status: 400 }
    await failureOf(api(setAvatar, {}, { body: { image: new Blob(['bytes'], { type: 'image/png' }), note: 7 } }))
    const [upload] = sent
    const type = upload?.headers['content-type'] ?? ''
    expect(type).toMatch(/^multipart\/form-data; ?boundary=/)
    const data = await new Response(new Uint8Array(upload?.body ?? []), { headers: { 'content-type': type } }).formData()
    const image = data.get('image')
    expect(image instanceof Blob && [image.type, await image.text()]).toEqual(['image/png', 'bytes'])
    expect(data.get('note')).toBe('7')
  })

  it('of another kind is JSON', async () => {
    answer = { status: 400 }
    await failureOf(api(createTag, { projectId: 'p1' }, { body: { name: 'canary', colour: 'ochre' } }))
    await failureOf(api(createPersonalProject, {}, { body: { name: 'Orchard' } }))
    expect(sent.map(({ headers }) => headers['content-type'])).toEqual(['application/json', 'application/json'])
    expect(sent.map(({ body }) => JSON.parse(body.toString()))).toEqual([
      { name: 'canary', colour: 'ochre' },
      { name: 'Orchard' },
    ])
  })
})

describe('§7 a refusal', () => {
  const ask = (options: object) => failureOf(api(organizationProjects, { organizationId: 'org_1' }, options))

  it.each([401, 403, 404])('%d is reported once, with the custom handler of the call', async (status) => {
    answer = { status }
    const common = { status, sessionTag: 'check6', organizationId: 'org_1' }
    await ask({ handledBy: 'organization' })
    await ask({})
    expect(refusals).toEqual([
      { ...common, handledBy: 'organization' },
      { ...common, handledBy: undefined },
    ])
  })

  it.each([400, 409, 500])('%d is for the caller alone', async (status) => {
    answer = { status }
    await ask({ handledBy: 'organization' })
    expect(refusals).toEqual([])
  })
})
