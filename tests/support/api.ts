import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { pino } from 'pino'
import { type Struct, validate } from 'superstruct'
import type { AnswerOf, BodyOf, Endpoint, ParamsOf, QueryOf } from '../../contract/core/endpoint'
import { pathOf } from '../../contract/core/endpoint'
import type { Failure } from '../../contract/core/errors'
import { buildApi } from '../../server/api'
import { readConfig } from '../../server/core/config'
import { openDatabase, requestLimits } from '../../server/core/database/open'
import type { Clock, Deps, Mail, Measuring } from '../../server/core/deps'
import { createDatabase } from './database'
import { undescribed } from './described'
import { freePort } from './free-port'
import { people, type Person } from './people'
import { canPassPrism, isThroughPrism, type Prism, startPrism } from './prism'
import { memoryStorage } from './storage'

/** The caller: a person, or any token (`ses_…` is sent in the session header, all others as bearers). */
export type As = Person | { token: string } | string | undefined

export type Options<E extends Endpoint> = {
  as?: As
  query?: QueryOf<E>
  body?: BodyOf<E>
  /** The bytes of a body of rows, with their type. */
  rows?: { text: string | Buffer; type: 'text/csv' | 'application/x-ndjson' }
  headers?: Record<string, string>
  /** Another address than 127.0.0.1. */
  from?: string
}

export type Reply<E extends Endpoint = Endpoint> = {
  status: number
  /** The answer, if the status is the contract's; for a refusal it has the fields of the error JSON. */
  body: AnswerOf<E>
  error: { code: string; message: string; details: Failure['details']; required_permission?: string; about?: never }
  headers: LightMyRequestResponse['headers']
  text: string
}

const start = new Date('2026-06-01T12:00:00.000Z')

// Limits are configuration, and tests raise them, except those that test them.
const unlimited = {
  // A loaded machine can stand still for half a minute, which must not answer a request with 503.
  TEASEL_LIMIT_DATABASE_S: '120',
  TEASEL_LIMIT_REQUESTS_PER_MINUTE: '1000000',
  TEASEL_LIMIT_SIGN_INS_PER_MINUTE: '1000000',
  TEASEL_LIMIT_MAILS_PER_HOUR: '1000000',
  TEASEL_LIMIT_MAILS_PER_DAY: '1000000',
  TEASEL_LIMIT_BAD_TOKENS_PER_MINUTE: '1000000',
  TEASEL_LIMIT_DEVICE_REQUESTS_PER_MINUTE: '1000000',
  TEASEL_LIMIT_DDI_FAILURES_PER_MINUTE: '1000000',
  TEASEL_LIMIT_DDI_REQUESTS_PER_MINUTE: '1000000',
}

export const authorization = (as: As): Record<string, string> => {
  if (as === undefined) return {}
  const token = typeof as === 'string' ? as : as.token
  return token.startsWith('ses_') ? { 'x-session-token': token } : { authorization: `Bearer ${token}` }
}

const search = (query: unknown): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(query ?? {})
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, Array.isArray(value) ? value.map(String) : String(value)]),
  )

const withSearch = (path: string, query: Record<string, string | string[]>) => {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, one]))
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// Every answer of every test is checked against the contract, which the console and devices rely on.
const keepsItsWord = (endpoint: Endpoint, reply: Pick<LightMyRequestResponse, 'statusCode' | 'payload' | 'headers'>) => {
  const { method, path, answer, status, conditional } = endpoint
  const promised = status ?? (answer === 'none' ? 204 : 200)
  const { statusCode, payload, headers } = reply
  const complain = (what: string) => {
    throw new Error(`${method} ${path} broke its contract: ${what}: ${payload.slice(0, 500)}`)
  }
  const missing = undescribed(endpoint, reply)
  if (missing !== undefined) complain(`the OpenAPI document does not describe this: ${missing}`)
  if (statusCode >= 300) return
  if (statusCode === promised && answer === 'none' && payload !== '') complain('there should be no body')
  if (typeof answer !== 'object' || statusCode === 204) return
  const [error, value] = validate(parsed(payload), answer as Struct<unknown, unknown>)
  if (error) complain(error.message)
  const { revision } = (value ?? {}) as { revision?: number }
  if (conditional && revision !== undefined && headers.etag !== `"${revision}"`) complain(`ETag ${headers.etag}`)
}

/** The body and its type: JSON, url-encoded, or multipart if a file is among the values (§7). */
const encoded = async (given: Record<string, unknown> | undefined, form: boolean) => {
  if (given === undefined) return undefined
  if (!form) return { payload: JSON.stringify(given), type: 'application/json' }
  const texts = given as Record<string, string>
  if (!Object.values(given).some((value) => value instanceof Blob))
    return { payload: new URLSearchParams(texts).toString(), type: 'application/x-www-form-urlencoded' }
  const data = new FormData()
  for (const [name, value] of Object.entries(texts)) data.set(name, value)
  const sent = new Response(data)
  return { payload: Buffer.from(await sent.arrayBuffer()), type: sent.headers.get('content-type') ?? '' }
}

/** Calls an endpoint of the contract as a browser or a device would, without a socket. */
const caller =
  (app: FastifyInstance, host: string, called: Set<Endpoint> = new Set(), prism?: Prism) =>
  async <E extends Endpoint>(endpoint: E, params: ParamsOf<E>, options: Options<E> = {}): Promise<Reply<E>> => {
    const { as, query, body, rows, headers, from } = options
    const sent = rows
      ? { payload: rows.text, type: rows.type }
      : await encoded(body as Record<string, unknown> | undefined, endpoint.accepts === 'form')
    const { method } = endpoint
    const path = pathOf(endpoint.path, params)
    const payload = sent && { payload: sent.payload }
    const allHeaders = { host, ...authorization(as), ...(sent && { 'content-type': sent.type }), ...headers }
    const answer =
      prism && canPassPrism(endpoint, sent?.payload) && from === undefined
        ? await prism.send({ method, path: withSearch(path, search(query)), headers: allHeaders, ...payload })
        : await app.inject({
            method,
            url: path,
            query: search(query),
            ...payload,
            headers: allHeaders,
            ...(from !== undefined && { remoteAddress: from }),
          })
    keepsItsWord(endpoint, answer)
    if (answer.statusCode < 300) called.add(endpoint)
    const value = parsed(answer.payload)
    return {
      status: answer.statusCode,
      body: (value ?? answer.payload) as AnswerOf<E>,
      error: (value as { error?: Reply['error'] } | undefined)?.error ?? { code: '', message: '', details: [] },
      headers: answer.headers,
      text: answer.payload,
    }
  }

/** For tests in which people sign in often: a hash takes 3 ms. */
export const cheapPasswords = { passwordCost: 2 ** 10 }

/** An API host with its own database, with a clock that the test moves and users who need no sign-in form. */
export const createTestApi = async (
  variables: Record<string, string> = {},
  { clock, passwordCost, ...measuring }: Measuring & { clock?: Clock; passwordCost?: number } = {},
) => {
  const database = await createDatabase()
  const directory = await mkdtemp(join(tmpdir(), 'teasel-api-'))
  const port = isThroughPrism ? { TEASEL_API_PORT: String(await freePort()) } : {}
  const settings = readConfig({ ...unlimited, ...port, TEASEL_DATA_DIR: directory, DATABASE_URL: database.url, ...variables })
  const config = { ...settings, ...(passwordCost !== undefined && { passwordCost }) }
  const { pool, db, close } = openDatabase({ url: database.url, onError: () => {}, ...requestLimits(config) })
  // It connects when a test uses it.
  const owner = openDatabase({ url: database.ownerUrl, onError: () => {}, ...requestLimits(config) })
  const sent: Mail[] = []
  const lines: string[] = []
  const called = new Set<Endpoint>()
  let now = start
  const deps: Deps = {
    ...measuring,
    config,
    db,
    pool,
    log: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }),
    clock: clock ?? (() => now),
    storage: memoryStorage(),
    mail: async (mail) => void sent.push(mail),
  }
  const app = buildApi(deps)
  await app.ready()
  if (isThroughPrism) await app.listen({ port: config.ports.api, host: '127.0.0.1' })
  const prism = isThroughPrism ? await startPrism(`http://127.0.0.1:${config.ports.api}`) : undefined
  return {
    app,
    deps,
    db,
    /** The database as the owner of the tables, a superuser; `db` has the rights of the hosts. */
    ownerDb: owner.db,
    ownerUrl: database.ownerUrl,
    config,
    sent,
    /** The server's log, line by line. */
    lines,
    call: caller(app, new URL(config.urls.api).host, called, prism),
    /** How many calls have gone through Prism; undefined in other projects. */
    throughPrism: () => prism?.passed(),
    /** The endpoints that have been called successfully. */
    called,
    ...people(deps),
    advance: (seconds: number) => void (now = new Date(now.getTime() + seconds * 1000)),
    close: async () => {
      await prism?.stop()
      await app.close()
      await close()
      await owner.close()
      await database.drop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export type TestApi = Awaited<ReturnType<typeof createTestApi>>
