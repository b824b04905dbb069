import { and, eq, ne, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as ddi from '../../contract/ddi/endpoints'
import * as device from '../../contract/device/endpoints'
import { type Endpoint, pathOf } from '../../contract/core/endpoint'
import { endpoints } from '../../contract/endpoints'
import { deleteCurrentSession } from '../../contract/accounts/sessions'
import { baseRoles } from '../../contract/core/roles'
import { self } from '../../contract/accounts/users'
import { users } from '../../server/accounts/schema/people'
import { auditEntries } from '../../server/core/database/schema/audit-entries.partitioned'
import { createApi } from '../../server/core/http/app'
import { route } from '../../server/core/http/route'
import { rights } from '../../server/rights'
import { isFull } from '../support/counts'
import { authorization, createTestApi, type TestApi } from '../support/api'
import { expectedStatus } from './expected'
import { bodies } from './samples'
import { type Actor, createWorld, type Ids, createMissingIds, type Scope, scopes, type World } from './world'

const all: Record<string, Endpoint> = {
  ...endpoints,
  ...Object.fromEntries(Object.entries(device).map(([name, endpoint]) => [`device.${name}`, endpoint as Endpoint])),
  ...Object.fromEntries(Object.entries(ddi).map(([name, endpoint]) => [`ddi.${name}`, endpoint as Endpoint])),
}

let api: TestApi
let world: World
beforeAll(async () => {
  api = await createTestApi()
  world = await createWorld(api)
})
afterAll(() => api.close())

/** A digest of the whole database, without the request counters and without the audit log, where refusals are recorded. */
const digest = async () => {
  const { rows } = await api.db.execute<{ name: string }>(sql`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname <> 'rate_windows'
      and relname not like 'audit%' order by 1`)
  const parts = rows.map(
    ({ name }) =>
      `select '${name}' as name, md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as sum from "${name}" t`,
  )
  const { rows: sums } = await api.db.execute<{ name: string; sum: string }>(sql.raw(parts.join(' union all ')))
  return Object.fromEntries(sums.map(({ name, sum }) => [name, sum]))
}

// An unknown field is refused after the guard and before the handler: the refusal shows that the guard admitted the call, and
// changes nothing.
const probe = 'matrix_probe'

const send = async (name: string, endpoint: Endpoint, ids: Ids, actor: Actor, query: Record<string, string> = {}) => {
  const form = endpoint.accepts === 'form'
  const body = bodies[name]?.(ids)
  const payload = body && (form ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body))
  const answer = await api.app.inject({
    method: endpoint.method,
    url: pathOf(endpoint.path, ids),
    query,
    ...(payload !== undefined && { payload }),
    headers: {
      host: new URL(api.config.urls.api).host,
      ...authorization(actor.token),
      ...(payload !== undefined && { 'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json' }),
      ...(endpoint.conditional && { 'if-match': '"1"' }),
    },
  })
  return { status: answer.statusCode, text: answer.payload, type: answer.headers['content-type'] }
}

const letIn = (text: string) => text.includes(`"field":"${probe}"`)
const anonymized = (text: string) => text.replace(/"request_id":"[^"]*"/, '"request_id":""')

/** The refusals of access tokens with what they lacked. */
const deniedTokens = new Set<string>()
/** The refusals expected in the audit log: who, what and where. */
const denied = new Set<string>()
const deniedKey = (who: string, action: string, isOwn: boolean) =>
  `${who}: ${action} in ${isOwn ? 'the organization' : 'a space'}`

/** In each of these every actor gets the answer of the missing twin. */
const hiddenScopes: readonly Scope[] = ['foreign organization', 'missing twin', 'deleted']
/** `npm test` calls each endpoint in a hidden scope as every third actor; which ones changes with the endpoint and the scope. */
const isCalled = (endpointNumber: number, actorNumber: number, scope: Scope) => {
  const hidden = hiddenScopes.indexOf(scope)
  return isFull || hidden === -1 || (endpointNumber + actorNumber + hidden) % hiddenScopes.length === 0
}

const check = async (name: string, endpoint: Endpoint, actor: Actor, scope: Scope, readTwin: () => ReturnType<typeof send>) => {
  const ids = world.idsOf(scope, actor)
  const expected = expectedStatus(name, endpoint.needs, actor, scope)
  const answer = await send(name, endpoint, ids, actor, expected === 'in' ? { [probe]: '1' } : {})
  // HEAD has no body: a refusal of fields (422) comes after the guard in any case.
  const seen = letIn(answer.text) || (endpoint.method === 'HEAD' && answer.status === 422) ? 'in' : answer.status
  if (seen !== expected) return [`${actor.name} at ${scope}: expected ${expected}, got ${seen} ${answer.text.slice(0, 200)}`]
  const names = actor.kind === 'access_token' ? /"required_permission":|"code":"person_required"/ : /"required_permission":/
  if (expected === 403 && endpoint.method !== 'HEAD' && !names.test(answer.text))
    return [`${actor.name} at ${scope}: 403 does not say what is missing`]
  if (expected === 403 && actor.kind === 'access_token')
    deniedTokens.add(`${actor.name}: ${/"required_permission":"([^"]+)"/.exec(answer.text)?.[1] ?? 'person_required'}`)
  else if (expected === 403 && endpoint.audit !== 'none')
    denied.add(deniedKey(`The ${actor.role ?? actor.guest}`, endpoint.audit, scope !== 'own personal'))
  if (expected !== 404) return []
  // T-01: hidden and missing objects get the same answer.
  const twin = await readTwin()
  return anonymized(answer.text) === anonymized(twin.text) && answer.type === twin.type
    ? []
    : [`${actor.name} at ${scope}: differs from the missing twin: ${answer.text} ${twin.text}`]
}

describe('T-01: each endpoint, called by each actor in each scope, answers as its needs say', () => {
  let before: Record<string, string>
  beforeAll(async () => {
    before = await digest()
  })

  it.each(Object.keys(all))('%s', async (name) => {
    const endpoint = all[name]
    if (!endpoint) throw new Error(name)
    const wrong: string[] = []
    const endpointNumber = Object.keys(all).indexOf(name)
    for (const [actorNumber, actor] of world.actors.entries()) {
      let twin: ReturnType<typeof send> | undefined
      const readTwin = () => (twin ??= send(name, endpoint, createMissingIds(), actor))
      const called = scopes.filter((scope) => isCalled(endpointNumber, actorNumber, scope))
      wrong.push(...(await Promise.all(called.map((scope) => check(name, endpoint, actor, scope, readTwin)))).flat())
    }
    expect(wrong).toEqual([])
    // The same endpoint has refused and nothing at all has changed.
    expect(await digest()).toEqual(before)
  })
})

it('T-01: the audit log has each denied permission once, in its scope, and nothing about hidden objects', async () => {
  const read = async () => {
    const rows = await api.db
      .select()
      .from(auditEntries)
      .where(and(eq(auditEntries.result, 'denied'), ne(auditEntries.action, 'access_token.use_denied')))
    return rows.map(({ actor, action, chainId }) => deniedKey(actor.name ?? '', action, chainId === world.ownId))
  }
  expect(denied.size).toBeGreaterThan(100)
  await expect.poll(async () => new Set(await read())).toEqual(denied)
  const tokens = await api.db.select().from(auditEntries).where(eq(auditEntries.action, 'access_token.use_denied'))
  // An expired or revoked token is recorded once, whatever it calls.
  const ended = ['expired access token: token_expired', 'revoked access token: token_revoked']
  const named = new Map(world.actors.map(({ name, tokenId }) => [tokenId, name]))
  const lacked = tokens.map(({ credential, reason }) => `${named.get(credential.id ?? '')}: ${reason?.replace('requires ', '')}`)
  expect(new Set(lacked)).toEqual(new Set([...deniedTokens, ...ended]))
  expect(new Set(tokens.map(({ chainId }) => chainId))).toEqual(new Set([world.ownId]))
  const times = await api.db
    .select({ n: sql<number>`count(*)::int` })
    .from(auditEntries)
    .where(eq(auditEntries.result, 'denied'))
    .groupBy(
      auditEntries.chainId,
      auditEntries.projectId,
      auditEntries.action,
      sql`${auditEntries.actor} ->> 'id'`,
      sql`case when ${auditEntries.action} = 'access_token.use_denied' then ${auditEntries.credential} ->> 'id' || ${auditEntries.reason} end`,
    )
  expect(times.filter(({ n }) => n > 1)).toEqual([])
  const others = await api.db.select().from(auditEntries).where(ne(auditEntries.result, 'denied'))
  expect(others).toEqual([])
})

describe('T-04: what a role may not do is refused by the server, with a valid body and as often as it is called', () => {
  const changes = Object.entries(all).filter(([, { method }]) => !['GET', 'HEAD'].includes(method))

  it.each([...baseRoles])('the role %s', async (role) => {
    const actor = world.actors.find((one) => one.kind === 'member' && one.role === role)
    if (!actor) throw new Error(`the world has no ${role}`)
    const scope: Scope = 'own organization'
    const ids = world.idsOf(scope, actor)
    const refused = changes.filter(([name, { needs }]) => expectedStatus(name, needs, actor, scope) === 403)
    // An owner may do everything.
    expect(refused.length > 0).toBe(role !== 'owner')
    const before = await digest()
    const wrong: string[] = []
    for (const [name, endpoint] of refused)
      for (let call = 0; call < 2; call++) {
        const { status, text } = await send(name, endpoint, ids, actor)
        if (status !== 403 || !text.includes('"required_permission":')) wrong.push(`${name}: ${status} ${text.slice(0, 200)}`)
      }
    expect(wrong).toEqual([])
    expect(await digest()).toEqual(before)
  })
})

it('T-11: after signing out each endpoint that needs a session refuses it, from the first call on', async () => {
  const ines = await api.person()
  const actor: Actor = { name: 'signed out', token: ines.token, kind: 'outsider' }
  const ids = createMissingIds()
  const inSession = Object.entries(all).filter(([, { needs }]) => !['public', 'device', 'enrollment'].includes(needs.kind))
  expect((await api.call(self, {}, { as: ines })).status).toBe(200)
  // Around the instant: calls that overlap with the sign-out may succeed, those after its answer may not.
  const overlapping = Array.from({ length: 100 }, () => api.call(self, {}, { as: ines }))
  expect((await api.call(deleteCurrentSession, {}, { as: ines })).status).toBe(204)
  const after = await Promise.all(Array.from({ length: 100 }, () => api.call(self, {}, { as: ines })))
  expect(new Set(after.map(({ status }) => status))).toEqual(new Set([401]))
  const statuses = new Set((await Promise.all(overlapping)).map(({ status }) => status))
  expect([...statuses].filter((status) => status !== 200 && status !== 401)).toEqual([])
  const open: string[] = []
  for (const [name, endpoint] of inSession) {
    const { status } = await send(name, endpoint, ids, actor)
    // Signing out again is no error.
    if (status !== 401 && endpoint !== (deleteCurrentSession as Endpoint)) open.push(`${name}: ${status}`)
  }
  expect(inSession.length).toBeGreaterThan(100)
  expect(open).toEqual([])
})

it('T-28, R20: with every flag of the query and the experimental channel each endpoint answers each actor as without', async () => {
  const flags = { experimental: 'true', inspect: '', debug: '1' }
  await api.db.update(users).set({ featureChannel: 'experimental' })
  try {
    const before = await digest()
    const opened: string[] = []
    for (const scope of ['own organization', 'foreign organization'] as const)
      for (const [endpointNumber, [name, endpoint]] of Object.entries(all).entries()) {
        // As every third actor: without the flags all have been asked above.
        const asking = world.actors.filter((_, actorNumber) => isFull || (endpointNumber + actorNumber) % 3 === 0)
        const answers = asking.map(async (actor) => {
          const expected = expectedStatus(name, endpoint.needs, actor, scope)
          if (expected === 'in') return []
          const { status } = await send(name, endpoint, world.idsOf(scope, actor), actor, flags)
          return status === expected ? [] : [`${name} as ${actor.name} at ${scope}: ${status} instead of ${expected}`]
        })
        opened.push(...(await Promise.all(answers)).flat())
      }
    expect(opened).toEqual([])
    expect(await digest()).toEqual(before)
  } finally {
    await api.db.update(users).set({ featureChannel: 'stable' })
  }
})

describe('T-18: a device token and an enrollment token open no route for people', () => {
  const forPeople = Object.entries(all).filter(([, { needs }]) => !['public', 'device', 'enrollment'].includes(needs.kind))

  it('as a bearer and as a session token they get 401 or 403 on each, and change nothing', async () => {
    const before = await digest()
    const tokens = world.actors.filter(({ kind }) => kind === 'device' || kind === 'enrollment').map(({ token = '' }) => token)
    const [device] = world.actors.filter(({ kind }) => kind === 'device')
    if (!device) throw new Error('the world has no device')
    const opened: string[] = []
    for (const [name, endpoint] of forPeople) {
      // The project of the device and the token.
      const ids = world.idsOf('own organization', device)
      const payload = bodies[name]?.(ids)
      for (const token of tokens)
        for (const credentials of [{ authorization: `Bearer ${token}` }, { 'x-session-token': token }]) {
          const answer = await api.app.inject({
            method: endpoint.method,
            url: pathOf(endpoint.path, ids),
            ...(payload !== undefined && endpoint.accepts !== 'form' && { payload }),
            headers: {
              host: new URL(api.config.urls.api).host,
              ...credentials,
              ...(endpoint.conditional && { 'if-match': '"1"' }),
            },
          })
          if (![401, 403].includes(answer.statusCode)) opened.push(`${name} ${Object.keys(credentials)[0]}: ${answer.statusCode}`)
        }
    }
    expect(forPeople.length).toBeGreaterThan(100)
    expect(opened).toEqual([])
    expect(await digest()).toEqual(before)
  })
})

describe('T-02: the contract, the routes and the matrix are one list', () => {
  const pathForm = (path: string) => path.replace(/:\w+(\|:\w+)*/g, ':id')
  const routeOf = ({ method, path }: Endpoint) => `${method} ${pathForm(path)}`
  /** All routes of the host, read from its tree; HEAD is added to each GET. */
  const listRoutes = () => {
    const parts: string[] = []
    const lines = api.app.printRoutes({ commonPrefix: false, includeHooks: false }).split('\n')
    return lines.flatMap((line) => {
      const [, indent = '', part, methods = ''] = /^([│ ]*)[├└]── (\S*)(?: \((.+)\))?$/.exec(line) ?? []
      if (part === undefined) return []
      parts.splice(indent.length / 4, Infinity, part)
      return methods
        .split(', ')
        .filter((method) => method !== '' && method !== 'HEAD')
        .map((method) => `${method} ${pathForm(parts.join(''))}`)
    })
  }

  it('every route is an endpoint of the contract, and every endpoint has a route', () => {
    const routes = Object.values(all)
    for (const { method, path } of routes) expect(api.app.hasRoute({ method, url: path })).toBe(true)
    expect(new Set(routes.map(routeOf)).size).toBe(routes.length)
    const promised = routes.filter(({ method }) => method !== 'HEAD').map(routeOf)
    const probes = ['GET /healthz', 'GET /readyz', 'OPTIONS *']
    // The page of the reference and its files.
    const served = listRoutes().filter((one) => !one.startsWith('GET /reference'))
    expect(served.toSorted()).toEqual([...promised, ...probes].toSorted())
  })

  it('a route module that serves an endpoint twice does not start', () => {
    const bare = createApi(api.deps, rights)
    const [first] = Object.values(all)
    if (!first) throw new Error('the contract is empty')
    route(bare, first, () => undefined)
    expect(() => route(bare, first, () => undefined)).toThrow('is served twice')
  })
})
