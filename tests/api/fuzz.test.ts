import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as device from '../../contract/device/endpoints'
import { type AnyStruct, type Endpoint, pathOf } from '../../contract/core/endpoint'
import { endpoints } from '../../contract/endpoints'
import { parseUntrusted } from '../../server/core/http/untrusted-json'
import { authorization, createTestApi, type TestApi } from '../support/api'
import { badBody, badTexts, fieldsOf } from '../support/bad-values'
import { isFull, repetitions } from '../support/counts'
import { createSignIn } from '../support/sign-in'
import { bodies } from './samples'
import { createWorld, type Ids } from './world'

const all: Record<string, Endpoint> = {
  ...endpoints,
  ...Object.fromEntries(Object.entries(device).map(([name, endpoint]) => [`device.${name}`, endpoint as Endpoint])),
}

let api: TestApi
let ids: Ids
let tokens: Record<'owner' | 'device' | 'enrollment' | 'access_token', string | undefined>
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

/** One object of each kind, and a user with all rights over them. */
const renew = async () => {
  const world = await createWorld(api)
  const find = (name: string) => world.actors.find((actor) => actor.name === name)
  const owner = find('owner')
  if (!owner) throw new Error('the world has no owner')
  ids = world.idsOf('own organization', owner)
  tokens = {
    owner: owner.token,
    device: find('device token')?.token,
    enrollment: find('enrollment token')?.token,
    access_token: find('access token with all permissions')?.token,
  }
  worn = false
}
/** Whether a request changed something: the next endpoint gets new objects. */
let worn = true

/** Answers with 5xx that the contract allows: an unconfigured provider cannot be started. */
const declared = new Set(['subscriptions.createCheckout 503', 'subscriptions.receiveBillingEvent 503'])

type Sent = { path: Ids; query: Record<string, string>; headers: Record<string, string>; payload?: string }

const text = fc.constantFrom(...badTexts)
/** Text that a header can carry. */
const headerText = text.filter((value) => /^[\x20-\x7e]*$/.test(value))
const typeOf = ({ accepts = 'json' }: Endpoint) =>
  ({
    json: 'application/json',
    signed: 'application/json',
    report: 'application/json',
    form: 'application/x-www-form-urlencoded',
    ndjson: 'application/x-ndjson',
    rows: 'text/csv',
    bytes: 'application/offset+octet-stream',
  })[accepts]

const encode = (endpoint: Endpoint, body: unknown): string => {
  const { accepts = 'json' } = endpoint
  if (accepts === 'json' || accepts === 'signed') return JSON.stringify(body) ?? ''
  if (accepts === 'form')
    return new URLSearchParams(Object.entries(body ?? {}).map(([key, value]) => [key, JSON.stringify(value)])).toString()
  return `${JSON.stringify(body)}\n`
}

/** Requests that are valid except in one place: path, query, body or a header. */
const requests = (name: string, endpoint: Endpoint): fc.Arbitrary<Sent> => {
  const right = { path: ids, query: {}, headers: {} }
  const sample = bodies[name]?.(ids) ?? {}
  const parameters = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, parameter = '']) => parameter)
  const listed = [...Object.keys(fieldsOf(endpoint.query)), 'unknown']
  const takesBody = endpoint.body !== undefined || (endpoint.accepts ?? 'json') !== 'json'
  const payload = takesBody && endpoint.method !== 'GET' ? { payload: encode(endpoint, sample) } : {}
  return fc.oneof(
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom(...listed), text)
        .map(([key, value]) => ({ ...right, ...payload, query: { [key]: value } })),
    },
    ...(parameters.length === 0
      ? []
      : [
          {
            weight: 1,
            arbitrary: fc
              .tuple(
                fc.constantFrom(...parameters),
                text.filter((value) => value !== '' && value.isWellFormed()),
              )
              .map(([parameter, value]) => ({ ...right, ...payload, path: { ...ids, [parameter]: value } })),
          },
        ]),
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          fc.constantFrom('if-match', 'idempotency-key', 'range', 'if-range', 'content-type', 'last-event-id', 'upload-offset'),
          headerText,
        )
        // A valid change would not be bad input, so it gets an unknown query field.
        .map(([header, value]) => ({ ...right, ...payload, query: { unknown: 'x' }, headers: { [header]: value } })),
    },
    ...(takesBody
      ? [{ weight: 6, arbitrary: badBody(endpoint.body, sample).map((body) => ({ ...right, payload: encode(endpoint, body) })) }]
      : []),
  )
}

const tokenOf = ({ needs: { kind } }: Endpoint) =>
  kind === 'device' || kind === 'enrollment' || kind === 'access_token' ? tokens[kind] : tokens.owner

/** The pages of the sign-in host, with the fields that they take. */
const forms: [string, string[]][] = [
  ['/signin', ['email', 'password', 'redirect_uri', 'state', 'code_challenge', 'code_challenge_method', 'invite']],
  ['/signup', ['email', 'full_name', 'password', 'invite', 'redirect_uri']],
  ['/forgot', ['email']],
  ['/signin/code', ['code', 'redirect_uri']],
  [`/reset/${'x'.repeat(43)}`, ['password']],
  [`/signup/${'x'.repeat(43)}`, ['password', 'full_name']],
  [`/invites/${'x'.repeat(43)}`, ['email']],
  ['/signout', ['token']],
]

let slowest = { ms: 0, what: '' }

const send = async (name: string, endpoint: Endpoint, { path, query, headers, payload }: Sent) => {
  const startedAt = performance.now()
  const answer = await api.app.inject({
    method: endpoint.method,
    url: pathOf(endpoint.path, path),
    query,
    ...(payload !== undefined && { payload }),
    headers: {
      host: 'localhost:8080',
      ...authorization(tokenOf(endpoint)),
      ...(payload !== undefined && { 'content-type': typeOf(endpoint) }),
      ...(endpoint.conditional && { 'if-match': '"1"' }),
      ...headers,
    },
  })
  const ms = performance.now() - startedAt
  if (ms > slowest.ms) slowest = { ms, what: name }
  return answer
}

describe('invalid input never causes a server error', () => {
  it.each(Object.entries(all))('%s', async (name, endpoint) => {
    if (worn) await renew()
    const statuses = new Map<number, number>()
    await fc.assert(
      fc.asyncProperty(requests(name, endpoint), async (sent) => {
        const { statusCode, payload } = await send(name, endpoint, sent)
        statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1)
        if (statusCode < 400 && endpoint.method !== 'GET') worn = true
        if (statusCode < 500 || declared.has(`${name} ${statusCode}`)) return
        throw new Error(`${statusCode} ${payload.slice(0, 300)}\n${api.lines.slice(-3).join('').slice(0, 3000)}`)
      }),
      { numRuns: repetitions(10, 300), seed: 9 },
    )
    // Requests without a session would test the guard only.
    expect(
      [...statuses.keys()].filter((status) => status !== 401),
      name,
    ).not.toEqual([])
  })

  it.each(forms)('sign-in host: %s', async (path, names) => {
    const host = await createSignIn(api)
    try {
      const visitor = host.browser()
      const values = isFull ? badTexts : ['\u0000', 'a@b.cc\u0000', '__proto__', 'constructor', '\ud800']
      for (const name of [...names, 'told', '__proto__'])
        for (const value of values) {
          const csrf = /name="csrf" value="([^"]+)"/.exec((await visitor.get('/signin')).text)?.[1] ?? ''
          const right = Object.fromEntries(names.map((one) => [one, `${one}@example.com`]))
          const answers = [
            await visitor.get(`${path}?${new URLSearchParams({ [name]: value }).toString()}`),
            await visitor.post(path, { csrf, ...right, [name]: value }),
          ]
          for (const { status, text: page } of answers)
            if (status >= 500) throw new Error(`${name} ${JSON.stringify(value)}: ${status} ${page}\n${api.lines.at(-1)}`)
        }
    } finally {
      await host.close()
    }
  })

  it('answers each invalid input within 5 s', () => expect(slowest.ms, slowest.what).toBeLessThan(5000))
})

const mebibyte = 1_048_576
/** So large a body by default; the limit itself with `npm run test:full`. */
const mostBytes = (endpoint: Endpoint) => Math.min(endpoint.maxBytes ?? mebibyte, repetitions(65_536, mebibyte))

const isArrayStruct = ({ type }: AnyStruct) => type === 'array'
/** Each list and map of a struct, at any depth, with its dotted path. */
const collectionsOf = (struct: AnyStruct, path = ''): [string, AnyStruct][] => {
  const schema: unknown = struct.schema
  if (struct.type === 'union') return (schema as { anyOf: AnyStruct[] }).anyOf.flatMap((one) => collectionsOf(one, path))
  if (isArrayStruct(struct)) return [[path, struct], ...(schema ? collectionsOf(schema as AnyStruct, `${path}.0`) : [])]
  if (struct.type === 'record') return [[path, struct]]
  return Object.entries(fieldsOf(struct)).flatMap(([name, field]) => collectionsOf(field, path === '' ? name : `${path}.${name}`))
}
const many = 100_000
const large = (struct: AnyStruct): unknown =>
  isArrayStruct(struct)
    ? Array.from({ length: many }, () => 0)
    : Object.fromEntries(Array.from({ length: many }, (_, n) => [`k${n}`, 0]))

const repeated = (piece: string, bytes: number) => Array.from({ length: bytes / (piece.length + 1) }, () => piece).join(',')
/** Bodies of JSON of a size that cost the most: wrong items in each field, keys that nobody knows, depth, long texts and keys. */
const worstBodies = (endpoint: Endpoint, sample: object): [string, string][] => {
  const bytes = mostBytes(endpoint) - 4096
  const withField = (name: string, text: string) => `${JSON.stringify({ ...sample, [name]: 0 }).slice(0, -1)},"${name}":${text}}`
  const names = endpoint.body === undefined ? ['events'] : Object.keys(fieldsOf(endpoint.body))
  const [first = 'x'] = names
  return [
    ...names.map((name): [string, string] => [`wrong items in ${name}`, withField(name, `[${repeated('{}', bytes)}]`)]),
    ['unknown keys', `{${repeatedKeys(bytes)}}`],
    ['wrong keys', withField(first, `{${repeatedKeys(bytes)}}`)],
    ['depth', withField(first, '['.repeat(bytes / 2) + ']'.repeat(bytes / 2))],
    ['long text', withField(first, JSON.stringify('a?"'.repeat(bytes / 5)))],
    ['long key', withField('k'.repeat(bytes), '0')],
  ]
}
const repeatedKeys = (bytes: number) => Array.from({ length: bytes / 14 }, (_, n) => `"k${n}":[{}]`).join(',')

const processorMs = (usage: NodeJS.CpuUsage) => (usage.user + usage.system) / 1000
const measure = async <T>(work: () => T | Promise<T>) => {
  const before = process.cpuUsage()
  const result = await work()
  return { result, ms: processorMs(process.cpuUsage(before)) }
}
/** The least of several measurements: the collector of memory and other tests take their share of some. */
const least = async (times: number, work: () => unknown) => {
  let ms = Infinity
  for (let n = 0; n < times; n++) ms = Math.min(ms, (await measure(work)).ms)
  return ms
}

describe('a body that costs the most', () => {
  const taking = Object.entries(all).filter(
    ([, { method, body, accepts = 'json' }]) =>
      method !== 'GET' && (body !== undefined || accepts !== 'json') && accepts !== 'bytes',
  )

  it.each(taking)('%s: the number of items and keys is checked before them', (_, { body }) => {
    const looked = body
      ? collectionsOf(body).map(([path, struct]) => [path, [...struct.entries(large(struct), { path: [], branch: [] })].length])
      : []
    expect(looked.filter(([, count]) => Number(count) > 4000)).toEqual([])
  })

  it.each(taking)('%s: is answered in 16 kB, and costs a small multiple of reading its JSON', async (name, endpoint) => {
    if (worn) await renew()
    const { accepts = 'json' } = endpoint
    for (const [shape, text] of worstBodies(endpoint, bodies[name]?.(ids) ?? {})) {
      const payload =
        accepts === 'form' ? new URLSearchParams({ first_name: text.slice(0, mostBytes(endpoint) / 4) }).toString() : text
      const ask = () => send(name, endpoint, { path: ids, query: {}, headers: {}, payload })
      const { result, ms } = await measure(ask)
      if (result.statusCode < 400) worn = true
      expect([shape, result.statusCode < 500, result.payload.length <= 16_384], result.payload.slice(0, 300)).toEqual([
        shape,
        true,
        true,
      ])
      // What other files of the same process do meanwhile counts too: an endpoint may take 250 ms of a processor.
      const allowed = async () => 8 * (await least(2, () => parseUntrusted(text))) + 100
      if (ms > (await allowed())) expect((await least(3, ask)) / (await allowed()), shape).toBeLessThan(1)
    }
  })
})
