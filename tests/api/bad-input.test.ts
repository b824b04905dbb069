import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { count, eq, sql } from 'drizzle-orm'
import fc from 'fast-check'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { personalProjects, project } from '../../contract/accounts/projects'
import { createPersonalProject } from '../../contract/accounts/project-changes'
import { profile, saveProfile } from '../../contract/accounts/profile'
import { interstitials, recordInterstitial } from '../../contract/accounts/interstitials'
import * as device from '../../contract/device/endpoints'
import { endpoints } from '../../contract/endpoints'
import { type Endpoint, type Method, pathOf } from '../../contract/core/endpoint'
import { checkFields } from '../../contract/core/field-errors'
import { createTag } from '../../contract/fleet/tags'
import { self } from '../../contract/accounts/users'
import { auditEntries } from '../../server/core/database/schema/audit-entries.partitioned'
import { buildApi } from '../../server/api'
import { readConfig } from '../../server/core/config'
import { buildConsole } from '../../server/console'
import { mails } from '../../server/core/database/schema/plumbing'
import { projects } from '../../server/accounts/schema/projects'
import { nothing } from '../../server/core/http/bodies'
import { createLog } from '../../server/core/log'
import { buildSignIn } from '../../server/sign-in'
import { createTestApi, type TestApi } from '../support/api'
import { isFull } from '../support/counts'
import { foreignNames, foreignOrigins } from '../support/origins'
import type { Person } from '../support/people'
import { sendRaw } from '../support/raw-requests'
import { bodies } from './samples'
import { createWorld, type Ids } from './world'
import '../support/fixed-seed'

let api: TestApi
let ines: Person
let ids: Ids
let owner: string
beforeAll(async () => {
  api = await createTestApi()
  ines = await api.person()
  const world = await createWorld(api)
  const actor = world.actors.find(({ name }) => name === 'owner')
  if (!actor?.token) throw new Error('the world has no owner')
  // A person's own object is that of the owner.
  const { identityId = '', notificationId = '' } = world.idsOf('own personal', actor)
  ids = { ...world.idsOf('own organization', actor), identityId, notificationId }
  owner = actor.token
})
afterAll(() => api.close())

const host = 'localhost:8080'
const send = (
  options: {
    method: Method | 'OPTIONS'
    url: string
    payload?: string | Buffer
    headers?: Record<string, string>
  },
  as = ines.token,
) => api.app.inject({ ...options, headers: { host, 'x-session-token': as, ...options.headers } })

const withBody = Object.entries(endpoints).filter(
  ([name, { body, accepts = 'json' }]) => body && accepts === 'json' && bodies[name],
)

describe('T-05: a body can contain only fields that its endpoint knows', () => {
  const columns = [
    'id',
    'role',
    'base_role_of_me',
    'organization_id',
    'project_id',
    'owner_id',
    'plan',
    'pricing_plan',
    'revision',
    'created_at',
    'updated_at',
    'state',
    'lifecycle',
    'public_id',
    'device_count',
    'verified',
    'constructor',
  ]
  it.each(withBody)('%s: a column of any table is refused as an unknown field', async (name, endpoint: Endpoint) => {
    const own = new Set(Object.keys((endpoint.body?.schema as object | null) ?? {}))
    const { rows } = await api.db.execute<{ name: string }>(
      sql`select distinct column_name as name from information_schema.columns where table_schema = 'public' order by 1`,
    )
    const foreign = rows.map((row) => row.name).filter((column) => !own.has(column))
    expect(foreign.length).toBeGreaterThan(150)
    const answer = await send(
      {
        method: endpoint.method,
        url: pathOf(endpoint.path, ids),
        payload: JSON.stringify({ ...bodies[name]?.(ids), ...Object.fromEntries(foreign.map((column) => [column, 'x'])) }),
        headers: { 'content-type': 'application/json', 'if-match': '"1"' },
      },
      owner,
    )
    expect(answer.statusCode).toBe(422)
    const { details } = answer.json<{ error: { details: { code: string }[] } }>().error
    expect(details.map(({ code }) => code)).toEqual(Array.from({ length: 20 }, () => 'unknown_field'))
    // One answer does not list them all.
    const refused = foreign.filter((column) => {
      const [errors] = checkFields({ ...bodies[name]?.(ids), [column]: 'x' }, endpoint.body ?? nothing)
      return errors?.some(({ field, code }) => field === column && code === 'unknown_field')
    })
    expect(refused).toEqual(foreign)
  })
  it.each(withBody)('%s', async (name, endpoint: Endpoint) => {
    const own = Object.keys((endpoint.body?.schema as object | null) ?? {})
    for (const column of columns.filter((name) => !own.includes(name))) {
      const answer = await send(
        {
          method: endpoint.method,
          url: pathOf(endpoint.path, ids),
          payload: JSON.stringify({ ...bodies[name]?.(ids), [column]: 'x' }),
          headers: { 'content-type': 'application/json', 'if-match': '"1"' },
        },
        owner,
      )
      expect([column, answer.statusCode]).toEqual([column, 422])
      expect(answer.json().error.details).toContainEqual(expect.objectContaining({ field: column, code: 'unknown_field' }))
    }
  })
})

describe('T-30: a body of any content type is refused or validated', () => {
  const types = [
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=utf-8',
    'application/json ;x=y',
    ' application/json',
    'application/json\t',
    'application/json,text/plain',
    'application/json, text/plain',
    'application/ json',
    'application/jsonx',
    'application/json+x',
    'application/ld+json',
    'text/json',
    'text/plain',
    'text/plain;charset=utf-8',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'application/offset+octet-stream',
    'application/x-ndjson',
    'application/xml',
    'text/html',
    'x',
    '/',
    '*/*',
    ';',
    'null',
    'application/json\u00a0',
  ]
  it.each(types)('%j', async (type) => {
    const answer = await send({
      method: 'POST',
      url: '/projects',
      payload: '{"name":"","owner_id":"x"}',
      headers: { 'content-type': type },
    })
    expect([400, 415, 422]).toContain(answer.statusCode)
    if (answer.statusCode === 422)
      expect(
        answer
          .json()
          .error.details.map(({ field }: { field: string }) => field)
          .toSorted(),
      ).toEqual(['name', 'owner_id'])
  })
  it.each([
    ['{"name":', 400],
    ['"text"', 400],
    ['[]', 400],
    ['null', 400],
    ['7', 400],
    ['{"__proto__":{"name":"x"}}', 400],
    ['{"name":"a\\u0000b"}', 422],
    ['{"name":"\\ud800"}', 422],
    ['{"name":7}', 422],
    ['{"name":null}', 422],
    ['{"name":["x"]}', 422],
    [`{"name":"${'x'.repeat(65)}"}`, 422],
    ['{"name":"   "}', 422],
  ])('%s is answered with %i', async (payload, status) => {
    const answer = await send({ method: 'POST', url: '/projects', payload, headers: { 'content-type': 'application/json' } })
    expect(answer.statusCode).toBe(status)
  })
  it('a body beyond 1 MiB is refused', async () => {
    const payload = JSON.stringify({ name: 'x'.repeat(1_048_576) })
    const answer = await send({ method: 'POST', url: '/projects', payload, headers: { 'content-type': 'application/json' } })
    expect([answer.statusCode, answer.json().error.code]).toEqual([413, 'body_too_large'])
  })
  it('bytes that are not UTF-8 are refused', async () => {
    const payload = Buffer.from([0x7b, 0xff, 0xfe, 0x7d])
    const answer = await send({ method: 'POST', url: '/projects', payload, headers: { 'content-type': 'application/json' } })
    expect(answer.statusCode).toBe(400)
  })
})

it('R15: the questionnaire is accepted url-encoded and as multipart', async () => {
  const form = { first_name: 'Ines', role: 'other:fire: tamer', platform_applications: 'secure_ota_updates,other' }
  expect((await api.call(profile, {}, { as: ines })).status).toBe(404)
  expect((await api.call(saveProfile, {}, { as: ines, body: form })).body).toMatchObject({ ...form, last_name: '' })
  const boundary = 'x-boundary'
  const payload = Object.entries({ city: 'Bremen', country: 'DE' })
    .map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join('')
  const sent = await send({
    method: 'POST',
    url: '/user_profile',
    payload: `${payload}--${boundary}--\r\n`,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  })
  expect(sent.json()).toMatchObject({ ...form, city: 'Bremen', country: 'DE' })
  const long = await api.call(saveProfile, {}, { as: ines, body: { role: `other:${'x'.repeat(101)}` } })
  expect(long.error.details).toEqual([{ field: 'role', code: 'too_long', message: 'Role must be 100 characters or less' }])
})

it('a repeated query parameter is refused, also with equal values', async () => {
  for (const query of ['limit=1&limit=200', 'q=a&q=a', 'sort=name&sort=-name', 'cursor=x&cursor=y']) {
    const answer = await send({ method: 'GET', url: `/projects/${ids.projectId}/devices?${query}` }, owner)
    expect([query, answer.statusCode, answer.json().error.code]).toEqual([query, 422, 'invalid'])
  }
})

it('§7: an interstitial is recorded once, and listed as seen after that', async () => {
  const interstitialId = 'USER_ONBOARDING_INFO_COLLECTION'
  const first = await api.call(recordInterstitial, { interstitialId }, { as: ines })
  api.advance(5)
  const second = await api.call(recordInterstitial, { interstitialId }, { as: ines })
  expect([first.status, second.status, second.body]).toEqual([201, 200, first.body])
  expect((await api.call(interstitials, {}, { as: ines })).body.interstitials).toEqual([first.body])
  // An invented id would be one more row each time.
  for (const invented of ['nothing like that', 'INVENTED', `${interstitialId}_2`])
    expect((await api.call(recordInterstitial, { interstitialId: invented }, { as: ines })).status).toBe(404)
  expect((await api.call(interstitials, {}, { as: ines })).body.interstitials).toEqual([first.body])
})

/** Spellings of a path that some router, proxy or file server resolves to another one: 80 of them. */
const between = (text: string) => (path: string) => path.replace(/\/(?=[^/]*$)/, text)
const before = (text: string) => (path: string) => text + path
const after = (text: string) => (path: string) => path + text
const hex = (letter: string) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`
const letters = (write: (letter: string, at: number) => string) => (path: string) =>
  path.replace(/[a-z]/gi, (letter, at: number) => write(letter, at))
const twists: ((path: string) => string)[] = [
  ...['%2F', '%2f', '%252F', '%252f', '%25252F', '%5C', '%5c', '%255C', '\\', '//', '/./', '/%2e/', '/%252e/'].map(between),
  ...['/x/../', '/x/%2e%2e/', '/x/%2E%2E/', '/x/.%2e/', '/x/%252e%252e/', '/x/..%2f', '/x/..%5c', '/x/..\\'].map(between),
  ...['/;/', '/;x=y/', '/%3b/', '/%00/', '/%20/', '/%09/', '/%0d%0a/', '/%c0%af', '/%ef%bc%8f', '/%u002f'].map(between),
  ...['/.', '/%2e', '/', '//', '\\', '/%5c', '/%2f', '/x/..', '/x/%2e%2e', '/x/..%2f..', '/..', '/../..', '/%2e%2e'].map(before),
  ...['/%252e%252e', '/..;', '/;x', 'http://evil.example', '/assets/..', '/assets/..%2f', '/assets/%2e%2e', '/assets/..%5c'].map(
    before,
  ),
  ...[
    '/',
    '//',
    '/.',
    '/..;/',
    '%2F',
    '%00',
    '%2500',
    '%20',
    '%09',
    ';',
    ';x',
    '.json',
    '.map',
    '?x',
    '%23',
    '%3f',
    '%',
    '%ff',
  ].map(after),
  ...['%c0%80', '/..%2f', '%2e', '::$DATA'].map(after),
  letters((letter) => letter.toUpperCase()),
  letters((letter, at) => (at % 2 === 0 ? letter.toUpperCase() : letter.toLowerCase())),
  letters(hex),
  letters((letter, at) => (at < 3 ? hex(letter) : letter)),
  letters((letter, at) => (at < 3 ? hex(letter).replace('%', '%25') : letter)),
  letters((letter, at) => (at < 3 ? `%u00${letter.charCodeAt(0).toString(16)}` : letter)),
]

describe('T-31: a path in any spelling leads to no other resource', () => {
  const secret = 'a-name-that-only-its-owner-knows'
  let directory: string
  let ports: Record<'api' | 'sign-in' | 'console', number>
  let open: { app: FastifyInstance; name: 'api' | 'sign-in' | 'console'; host: string }[]
  let page: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'teasel-paths-'))
    const files = {
      'console/index.html': '<!doctype html><html lang="en"><head><title>Teasel</title></head><body></body></html>',
      'console/assets/index-a1.js': 'export {}',
      'console/.env': secret,
      'console/.vite/manifest.json': secret,
      'console-secrets/key.pem': secret,
      'key.pem': secret,
    }
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(directory, name)), { recursive: true })
      await writeFile(join(directory, name), text)
    }
    // `/outbox` and `/billing` do not exist on a public host.
    const network = readConfig({
      TEASEL_ENVIRONMENT: 'production',
      TEASEL_API_URL: 'https://api.example.com',
      TEASEL_SIGN_IN_URL: 'https://id.example.com',
      TEASEL_WEB_URL: 'https://console.example.com',
      DATABASE_URL: api.config.databaseUrl,
      TEASEL_DATA_DIR: directory,
    })
    await api.db.insert(mails).values({ id: 'mail', to: 'a@example.com', subject: secret, text: secret, createdAt: new Date() })
    await api.db
      .update(projects)
      .set({ name: secret })
      .where(eq(projects.id, ids.projectId ?? ''))
    open = [
      { name: 'api', host, app: buildApi(api.deps) },
      { name: 'sign-in', host: 'id.example.com', app: buildSignIn({ ...api.deps, config: network }) },
      {
        name: 'console',
        host: 'localhost:5173',
        app: buildConsole({
          config: api.config,
          log: createLog('silent', { write: () => {} }),
          directory: join(directory, 'console'),
        }),
      },
    ]
    ports = { api: 0, 'sign-in': 0, console: 0 }
    for (const { name, app } of open) ports[name] = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
    page = (await ask('console', '/')).body
  })
  afterAll(async () => {
    for (const { app } of open) await app.close()
    await rm(directory, { recursive: true, force: true })
  })

  const ask = async (name: keyof typeof ports, target: string, token?: string) => {
    const own = open.find((one) => one.name === name)?.host
    const lines = [`GET ${target} HTTP/1.1`, `Host: ${own}`, 'Connection: close', ...(token ? [`X-Session-Token: ${token}`] : [])]
    const answer = await sendRaw(ports[name], Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), 5000, true)
    const [head = '', ...body] = answer.split('\r\n\r\n')
    return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]), body: body.join('\r\n\r\n') }
  }

  /** The answers to all spellings of a path that are no refusals. */
  const reached = async (name: keyof typeof ports, path: string, token?: string) => {
    const found: string[] = []
    const waiting = twists.map((twist) => twist(path))
    const next = async (): Promise<void> => {
      const target = waiting.pop()
      if (target === undefined) return
      const { status, body } = await ask(name, target, token)
      // The console answers its index page for its own URLs; its data comes from the API.
      const isPage = name === 'console' && status === 200 && body === page
      if (body.includes(secret) || !(isPage || (status >= 400 && status < 500))) found.push(`${target}: ${status}`)
      return next()
    }
    await Promise.all(Array.from({ length: 16 }, next))
    return found
  }

  it('there are 80 ways to write a path, all different', () => {
    expect(new Set(twists.map((twist) => twist('/projects/one'))).size).toBe(80)
  })

  const objects = ['projects/:projectId', 'devices/:deviceId', 'releases/:releaseId', 'organizations/:organizationId']
  const protectedPaths = [...objects, 'projects/:projectId/audit_log', 'users/self', 'sessions']
  it.each(protectedPaths)('/%s of the API, without a session and with that of a user without access', async (path) => {
    const target = pathOf(`/${path}`, ids)
    expect(await reached('api', target)).toEqual([])
    // Endpoints without parameters concern the caller's own session: they hide nothing.
    if (path.includes(':')) expect(await reached('api', target, ines.token)).toEqual([])
  })

  it.each(['/outbox', '/billing', '/assets/key.pem', '/key.pem', `/reset/${'x'.repeat(43)}`, `/invites/${'x'.repeat(43)}`])(
    '%s of the sign-in host',
    async (path) => {
      expect(await reached('sign-in', path)).toEqual([])
    },
  )

  it.each([
    '/.env',
    '/.vite/manifest.json',
    '/key.pem',
    '/../key.pem',
    '/../console-secrets/key.pem',
    '/assets/../../key.pem',
    '/assets/%2e%2e/%2e%2e/key.pem',
    '/assets/..%2f..%2fkey.pem',
  ])('%s of the console host, a file that it must not serve', async (path) => {
    expect(await reached('console', path)).toEqual([])
    expect((await ask('console', path)).body).not.toContain(secret)
  })

  it('and the plain path is open to its owner only', async () => {
    const target = pathOf('/projects/:projectId', ids)
    const own = await ask('api', target, owner)
    expect([own.status, own.body.includes(secret)]).toEqual([200, true])
    expect((await ask('api', target, ines.token)).status).toBe(404)
    expect((await ask('api', target)).status).toBe(401)
    expect((await ask('console', '/assets/index-a1.js')).body).toBe('export {}')
  })
})

describe('T-14: only the origins of the console are accepted', () => {
  const foreign = foreignOrigins('http://localhost:5173')
  const routes = Object.values({ ...endpoints, ...device }) as Endpoint[]
  /** The origins for the nth route: all of them, or enough that every origin is used for some routes. */
  const originsFor = (n: number) => foreign.filter((_, m) => (m + n) % (isFull ? 1 : 8) === 0)
  const changes = routes.filter(({ method }) => method !== 'GET' && method !== 'HEAD')
  const urlOf = ({ path }: Endpoint) => pathOf(path, ids)
  const countAudit = async () => (await api.db.select({ n: count() }).from(auditEntries))[0]?.n
  /** The content types that a form of any page can send without a preflight. */
  const simple = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']

  it('40 others and more are refused by every route that changes something, with the session of an owner', async () => {
    expect([new Set(foreign).size >= 40, changes.length > 60]).toEqual([true, true])
    const before = await countAudit()
    for (const [n, endpoint] of changes.entries())
      for (const origin of originsFor(n)) {
        const headers = { origin, 'content-type': 'application/json', 'if-match': '"1"' }
        const { method } = endpoint
        const answer = await send({ method, url: urlOf(endpoint), payload: '{}', headers }, owner)
        const found = [answer.statusCode, answer.json().error.code, answer.headers['access-control-allow-origin']]
        expect([origin, method, endpoint.path, ...found]).toEqual([
          origin,
          method,
          endpoint.path,
          403,
          'origin_refused',
          undefined,
        ])
      }
    expect(await countAudit()).toBe(before)
  })
  it('other origins can neither read an answer nor pass a preflight, on any route', async () => {
    for (const [n, endpoint] of routes.entries())
      for (const origin of originsFor(n)) {
        const url = urlOf(endpoint)
        const headers = { origin, 'access-control-request-method': endpoint.method }
        const preflight = await send({ method: 'OPTIONS', url, headers })
        const read = await send({ method: 'GET', url, headers: { origin } }, 'ses_of_nobody')
        for (const { headers: given } of [preflight, read]) {
          expect([origin, url, given['access-control-allow-origin']]).toEqual([origin, url, undefined])
          expect(given['access-control-allow-credentials']).toBeUndefined()
        }
        expect(read.headers.vary).toContain('Origin')
      }
  })
  it('a form of another origin changes nothing, on any route and by any simple content type', async () => {
    const before = await countAudit()
    for (const endpoint of changes)
      for (const type of simple) {
        const sent = { method: endpoint.method, url: urlOf(endpoint), payload: 'name=x' }
        const named = { host, 'content-type': type, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
        const crossed = await api.app.inject({ ...sent, headers: { ...named, origin: 'http://evil.example' } })
        expect([endpoint.path, type, crossed.statusCode]).toEqual([endpoint.path, type, 403])
        // A request without an Origin has no session either: a form cannot send its header.
        const unnamed = await api.app.inject({ ...sent, headers: named })
        expect([endpoint.path, type, unnamed.statusCode >= 400 && unnamed.statusCode < 500]).toEqual([endpoint.path, type, true])
      }
    expect(await countAudit()).toBe(before)
  })
  it('a simple content type is refused wherever JSON is expected, also with a session', async () => {
    const takesJson = Object.values(endpoints).filter(
      ({ body, accepts = 'json' }: Endpoint) => body !== undefined && accepts === 'json',
    )
    expect(takesJson.length).toBeGreaterThan(30)
    const before = await countAudit()
    for (const endpoint of takesJson as Endpoint[])
      for (const type of simple) {
        const headers = { 'content-type': type, 'if-match': '"1"' }
        const answer = await send({ method: endpoint.method, url: urlOf(endpoint), payload: '{"name":"x"}', headers }, owner)
        expect([endpoint.path, type, answer.statusCode]).toEqual([endpoint.path, type, 415])
      }
    expect(await countAudit()).toBe(before)
  })
  it('the console itself is accepted', async () => {
    const origin = 'http://localhost:5173'
    const preflight = await send({
      method: 'OPTIONS',
      url: '/projects',
      headers: { origin, 'access-control-request-method': 'POST' },
    })
    expect([
      preflight.statusCode,
      preflight.headers['access-control-allow-origin'],
      preflight.headers['access-control-max-age'],
    ]).toEqual([204, origin, '7200'])
    const read = await send({ method: 'GET', url: '/users/self', headers: { origin } })
    expect([
      read.statusCode,
      read.headers['access-control-allow-origin'],
      read.headers['access-control-allow-credentials'],
    ]).toEqual([200, origin, undefined])
  })
  it('a request with two Host headers is refused by each host, also with equal names (RFC 9112, 3.2)', async () => {
    const hosts = [
      { app: buildApi(api.deps), name: host },
      { app: buildSignIn(api.deps), name: 'localhost:8081' },
      { app: buildConsole({ config: api.config, log: createLog('silent', { write: () => {} }) }), name: 'localhost:5173' },
    ]
    for (const { app, name } of hosts) {
      const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
      for (const lines of [`Host: ${name}`, `Host: ${name}\r\nHost: ${name}`, `Host: ${name}\r\nHOST: evil.example`]) {
        const head = `GET /healthz HTTP/1.1\r\n${lines}\r\nConnection: close\r\n\r\n`
        const answer = await sendRaw(Number(port), Buffer.from(head), 60_000, true)
        expect([name, lines, /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]]).toEqual([
          name,
          lines,
          lines.includes('\n') ? '400' : '200',
        ])
      }
      await app.close()
    }
  })
  it('a request with another host name is refused, on any route', async () => {
    for (const name of ['', ...foreignNames(host)])
      for (const endpoint of routes) {
        const answer = await send({ method: endpoint.method, url: urlOf(endpoint), headers: { host: name } }, owner)
        expect([name, endpoint.path, answer.statusCode]).toEqual([name, endpoint.path, 421])
      }
    expect((await send({ method: 'GET', url: '/healthz', headers: { host: '10.0.0.9:8080' } })).statusCode).toBe(200)
  })
  it('T-22: every answer carries the restrictive content security policy', async () => {
    for (const url of ['/users/self', '/projects/x', '/nowhere', '/readyz']) {
      const { headers } = await send({ method: 'GET', url })
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      })
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
      expect(headers['x-request-id']).toMatch(/^[0-9A-Z]{26}$/)
    }
  })
})

it('T-24: no error reveals internals, for any input', async () => {
  const inside = /\bat \S+ \(|\.ts:\d+|node_modules|SQLSTATE|select |insert into|\/work\/|Failed query|relation "/
  const urls = Object.values(endpoints).map((endpoint) => [endpoint.method, endpoint.path] as const)
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...urls),
      fc.dictionary(
        fc.constantFrom('name', 'limit', 'cursor', 'sort', 'q', 'from', 'body', 'settings'),
        fc.oneof(fc.string(), fc.integer(), fc.constant(null)),
        { maxKeys: 4 },
      ),
      fc.oneof(fc.json(), fc.string()),
      async ([method, path], query, payload) => {
        const url = path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? 'x')
        // A request may end its own session.
        const { token } = await api.session(ines.id)
        const answer = await api.app.inject({
          method,
          url,
          query: Object.fromEntries(Object.entries(query).map(([key, value]) => [key, String(value)])),
          ...(method !== 'GET' && { payload }),
          // The session's user has no objects: only the refusal is tested, not the effect.
          headers: { host, 'x-session-token': token, 'content-type': 'application/json', 'if-match': '"1"' },
        })
        expect(answer.statusCode).toBeLessThan(500)
        // A served program is no error message, and it contains code.
        if (answer.statusCode >= 400 || path !== '/client_binaries/:fileName') expect(answer.payload).not.toMatch(inside)
        if (answer.statusCode >= 400 && method !== 'HEAD') expect(Object.keys(answer.json())).toEqual(['error'])
      },
    ),
    { numRuns: 400 },
  )
})

describe('F-23: concurrent identical requests', () => {
  beforeAll(async () => {
    // An earlier request may have ended all of her sessions.
    ines = { ...ines, ...(await api.session(ines.id)) }
  })
  it('one idempotency key creates one project, also with concurrent requests', async () => {
    const headers = { 'idempotency-key': 'race' }
    const all = await Promise.all(
      Array.from({ length: 12 }, () => api.call(createPersonalProject, {}, { as: ines, body: { name: 'Race' }, headers })),
    )
    const made = all.filter(({ status }) => status === 201)
    expect(all.filter(({ status }) => status !== 201).map(({ error }) => error.code)).toEqual(
      Array.from({ length: 12 - made.length }, () => 'idempotency_in_progress'),
    )
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(1)
    const listed = (await api.call(personalProjects, {}, { as: ines })).body.projects.filter(({ name }) => name === 'Race')
    expect(listed).toHaveLength(1)
    api.advance(86_401)
    const fresh = await api.session(ines.id)
    const later = await api.call(createPersonalProject, {}, { as: fresh, body: { name: 'Race' }, headers })
    expect([later.status, later.error.details[0]?.code]).toEqual([422, 'taken'])
    ines = { ...ines, ...fresh }
  })
  it('one revision accepts one change', async () => {
    const made = await api.call(createPersonalProject, {}, { as: ines, body: { name: 'CAS' } })
    const url = `/projects/${made.body.id}`
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        send({
          method: 'PATCH',
          url,
          payload: JSON.stringify({ description: `${n}` }),
          headers: { 'content-type': 'application/json', 'if-match': '"1"' },
        }),
      ),
    )
    expect(all.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array.from({ length: 9 }, () => 412),
    ])
    expect((await api.call(project, { projectId: made.body.id }, { as: ines })).body.revision).toBe(2)
  })
  it('one name can be used once', async () => {
    const { body } = await api.call(createPersonalProject, {}, { as: ines, body: { name: 'Tags' } })
    const all = await Promise.all(
      Array.from({ length: 8 }, () =>
        api.call(createTag, { projectId: body.id }, { as: ines, body: { name: 'same', colour: 'sky' } }),
      ),
    )
    expect(all.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, ...Array.from({ length: 7 }, () => 422)])
  })
})

it("F-18: the caller's request id is used when it is valid, and every answer contains one", async () => {
  const given = await send({ method: 'GET', url: '/users/self', headers: { 'x-request-id': 'from-the-caller-1' } })
  expect(given.headers['x-request-id']).toBe('from-the-caller-1')
  const bad = await api.call(self, {}, { headers: { 'x-request-id': 'a b' } })
  expect(bad.text).toContain(`"request_id":"${String(bad.headers['x-request-id'])}"`)
})
