import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request as requestPlain, type Server } from 'node:http'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEnrollmentToken } from '../../contract/fleet/enrollment-tokens'
import { enroll } from '../../contract/device/endpoints'
import { onboardingKey } from '../../contract/accounts/interstitials'
import { createPersonalProject } from '../../contract/accounts/project-changes'
import { sessionHeader } from '../../contract/accounts/sessions'
import { type Embedded, openEmbedded } from '../../server/core/database/embedded'
import { isFull, repetitions } from '../support/counts'
import { checkInBody, enrollBody } from '../support/devices'
import { freePort } from '../support/free-port'
import { hasHaproxy, startHaproxy } from '../support/haproxy'
import { fromBuild, type Program, startServer } from '../support/program'
import { call } from './support/call'
import { someone } from './support/people'
import { signUpOverHttp } from './support/visitor'

const PROCESSES = 3
const CALLERS = 12
const ROUNDS = repetitions(1, 5)
const KILLS = repetitions(1, 5)

let directory: string
let database: Embedded
let proxy: Awaited<ReturnType<typeof startHaproxy>> | undefined
let echo: Server
let port: { https: number; http: number; signIn: number; console: number }
let token: string
let deviceToken: string
const ports: number[] = []
const programs: Program[] = []

const start = async (which: number, more: Record<string, string> = {}) => {
  const program = startServer(
    {
      NODE_ENV: 'production',
      TEASEL_HOSTS: which === 0 ? 'api,sign-in' : 'api',
      TEASEL_API_PORT: String(ports[which]),
      TEASEL_SIGN_IN_PORT: String(port.signIn),
      TEASEL_API_URL: `https://localhost:${port.https}`,
      TEASEL_SIGN_IN_URL: `https://127.0.0.1:${port.https}`,
      TEASEL_TRUSTED_PROXIES: '127.0.0.1',
      TEASEL_DATA_DIR: join(directory, `data-${which}`),
      TEASEL_STORAGE: join(directory, 'storage'),
      // The default of production, on which the intervals of haproxy.cfg rely.
      TEASEL_DRAIN_S: '5',
      TEASEL_LIMIT_REQUESTS_PER_MINUTE: '1000000',
      TEASEL_LIMIT_DEVICE_REQUESTS_PER_MINUTE: '1000000',
      TEASEL_EMPTY: '1',
      DATABASE_URL: database.hostUrl,
      DATABASE_OWNER_URL: database.url,
      ...more,
    },
    fromBuild,
  )
  programs[which] = program
  await program.ready
}

const stop = async (which: number) => {
  programs[which]?.child.kill('SIGTERM')
  await programs[which]?.ended
}

/** A session and a device, made at a process that is reached without the proxy. */
const createCallers = async () => {
  const hosts = {
    api: `http://localhost:${ports[0]}`,
    signIn: `http://localhost:${port.signIn}`,
    console: 'http://localhost:5173',
  }
  await start(0, { TEASEL_API_URL: hosts.api, TEASEL_SIGN_IN_URL: hosts.signIn, TEASEL_DRAIN_S: '0' })
  token = await signUpOverHttp(hosts, someone())
  const { body: project } = await call(hosts.api, createPersonalProject, {}, { as: token, body: { name: 'Gateways' } })
  const facts = { name: 'field', auto_accept: true }
  const { body } = await call(hosts.api, createEnrollmentToken, { projectId: project.id }, { as: token, body: facts })
  deviceToken = (await call(hosts.api, enroll, {}, { as: body.token, body: enrollBody() })).body.device_token
  await stop(0)
}

/** Stands for the console's host: answers with the headers that it gets. */
const startEcho = async () => {
  const server = createServer((asked, answer) => void answer.end(JSON.stringify(asked.headers)))
  await new Promise<void>((resolve) => server.listen(port.console, '127.0.0.1', resolve))
  return server
}

type Sent = { host?: string; method?: string; headers?: Record<string, string>; body?: string; agent?: Agent; plain?: boolean }
type Answer = { status: number; text: string; headers: Record<string, string | string[] | undefined> }

/** One request to the proxy; rejects if its connection is cut. */
const send = (path: string, { host = 'localhost', plain = false, method = 'GET', headers = {}, body, agent }: Sent) =>
  new Promise<Answer>((resolve, reject) => {
    const to = plain ? port.http : port.https
    const options = { port: to, host: '127.0.0.1', path, method, headers: { ...headers, host: `${host}:${to}` } }
    const asked = plain ? requestPlain(options) : request({ ...options, ca: proxy?.ca, servername: 'localhost', agent })
    asked.on('response', (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => (text += part))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text, headers: answer.headers })).on('error', reject)
    })
    asked.on('error', reject)
    asked.end(body)
  })

beforeAll(async () => {
  if (!hasHaproxy) return
  directory = await mkdtemp(join(tmpdir(), 'teasel-haproxy-'))
  database = await openEmbedded({ directory: join(directory, 'postgres'), durable: false })
  for (let n = 0; n < PROCESSES; n++) ports.push(await freePort())
  port = { https: await freePort(), http: await freePort(), signIn: await freePort(), console: await freePort() }
  await createCallers()
  echo = await startEcho()
  for (let n = 0; n < PROCESSES; n++) await start(n)
  proxy = await startHaproxy({
    file: 'haproxy.cfg',
    directory,
    port: port.https,
    replacements: {
      'api.example.com': 'localhost',
      'sign-in.example.com': '127.0.0.1',
      'bind :443': `bind 127.0.0.1:${port.https}`,
      'bind :80': `bind 127.0.0.1:${port.http}`,
      '127.0.0.1:8080': `127.0.0.1:${ports[0]}`,
      '127.0.0.1:8081': `127.0.0.1:${ports[1]}`,
      '127.0.0.1:8082': `127.0.0.1:${ports[2]}`,
      '127.0.0.1:3000': `127.0.0.1:${port.signIn}`,
      '127.0.0.1:5173': `127.0.0.1:${port.console}`,
    },
  })
})
afterAll(async () => {
  if (!hasHaproxy) return
  await proxy?.stop()
  await Promise.all(programs.map((_, which) => stop(which)))
  await new Promise((resolve) => echo.close(resolve))
  await database.stop()
  await rm(directory, { recursive: true, force: true })
})

const session = () => ({ [sessionHeader]: token })
const json = { 'content-type': 'application/json' }
/** What people and devices send. Only a request that is `repeatable` may reach a second process after the first one has ended. */
const kinds = {
  account: () => ({ path: '/users/self', headers: session(), repeatable: true }),
  projects: () => ({ path: '/projects', headers: session(), repeatable: true }),
  keyed: () => ({
    path: `/interstitials/${onboardingKey}`,
    method: 'POST',
    headers: { ...session(), 'idempotency-key': randomUUID() },
    repeatable: true,
  }),
  checkIn: () => ({
    path: '/device/v1/check_in',
    method: 'POST',
    headers: { ...json, authorization: `Bearer ${deviceToken}` },
    body: JSON.stringify(checkInBody()),
    repeatable: false,
  }),
}
type Kind = keyof typeof kinds
const kindNames = Object.keys(kinds) as Kind[]

type Outcome = { kind: Kind; repeatable: boolean; began: number; ended: number; failure: string | undefined }

/** Sends all kinds of requests on kept connections, one after another for each caller, until `stop`. */
const startLoad = () => {
  const agent = new Agent({ keepAlive: true, maxSockets: CALLERS })
  const stopping = new AbortController()
  const outcomes: Outcome[] = []
  const run = async (caller: number) => {
    for (let n = caller; !stopping.signal.aborted; n++) {
      const kind = kindNames[n % kindNames.length] ?? 'account'
      const { path, repeatable, ...sent } = kinds[kind]()
      const began = performance.now()
      const failure = await send(path, { ...sent, agent }).then(
        ({ status, text }) => (status < 300 ? undefined : `${status} ${text}`),
        (error: Error) => error.message,
      )
      outcomes.push({ kind, repeatable, began, ended: performance.now(), failure })
      if (failure !== undefined) await pause(20)
    }
  }
  const running = Array.from({ length: CALLERS }, (_, caller) => run(caller))
  const end = async () => {
    stopping.abort()
    await Promise.all(running)
    agent.destroy()
  }
  return { outcomes, end }
}

/** Waits until the proxy has sent so many further requests, of all kinds, to the processes. */
const moreAnswers = async (outcomes: readonly Outcome[], count: number) => {
  const wanted = outcomes.length + count
  await expect.poll(() => outcomes.length).toBeGreaterThan(wanted)
}

/** The figures of docs/scale.md, by `npm run test:full`. */
const report = (what: string, outcomes: readonly Outcome[]) => {
  const failures = failuresOf(outcomes)
  if (isFull) process.stdout.write(`${what}: ${outcomes.length} requests, ${failures.length} failed\n`)
  return failures
}

const failuresOf = (outcomes: readonly Outcome[]) => outcomes.filter(({ failure }) => failure !== undefined)

describe.skipIf(!hasHaproxy)('behind haproxy with the configuration of docs/deploy', () => {
  it('each host is reached by its name over TLS, and the proxy alone says who the client is', async () => {
    expect((await send('/users/self', { headers: session() })).status).toBe(200)
    expect((await send('/signin', { host: '127.0.0.1' })).status).toBe(200)
    expect((await send('/', { host: 'other.example.com' })).status).toBe(421)
    const forged = { 'x-forwarded-for': '203.0.113.9', 'x-controller-id': 'gw-1', 'x-authority': '55:B6' }
    const { text } = await send('/', { host: 'console.example.com', headers: forged })
    expect(JSON.parse(text)).toMatchObject({ 'x-forwarded-for': '127.0.0.1' })
    expect(text).not.toMatch(/x-controller-id|x-authority/)
    const page = await send('/signin', { host: '127.0.0.1', plain: true })
    expect([page.status, page.headers.location]).toEqual([308, expect.stringMatching(/^https:\/\/127\.0\.0\.1/)])
    expect((await send('/users/self', { plain: true, headers: session() })).status).toBe(421)
  })

  it('F-25: three API processes are restarted one after another under load of people and devices without a failed request', async () => {
    const { outcomes, end } = startLoad()
    await moreAnswers(outcomes, 100)
    for (let round = 0; round < ROUNDS; round++)
      for (let which = 0; which < PROCESSES; which++) {
        await stop(which)
        await start(which)
        await moreAnswers(outcomes, 100)
      }
    await end()
    expect(report(`${ROUNDS * PROCESSES} restarts`, outcomes)).toEqual([])
    for (const kind of kindNames) expect(outcomes.filter((it) => it.kind === kind).length).toBeGreaterThan(50)
  })

  it('F-16: when a process is killed, only requests fail that it was answering and that may not be repeated', async () => {
    const { outcomes, end } = startLoad()
    const kills: { from: number; to: number }[] = []
    for (let n = 0; n < KILLS; n++) {
      const which = 1 + (n % (PROCESSES - 1))
      await moreAnswers(outcomes, 100)
      const from = performance.now()
      await programs[which]?.killAll()
      kills.push({ from, to: performance.now() })
      await moreAnswers(outcomes, 100)
      await start(which)
    }
    await end()
    const isInFlight = ({ began, ended }: Outcome) => kills.some(({ from, to }) => began < to && ended > from)
    const unexpected = report(`${KILLS} kills`, outcomes).filter((it) => it.repeatable || !isInFlight(it))
    expect(unexpected).toEqual([])
  })
})
