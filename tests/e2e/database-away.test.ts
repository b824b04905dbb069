import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createClient } from '../../server/core/database/clients'
import { createPersonalProject } from '../../contract/accounts/project-changes'
import { sessionHeader } from '../../contract/accounts/sessions'
import { type Embedded, findEmbedded, openEmbedded } from '../../server/core/database/embedded'
import { postmasterOf } from '../../server/core/database/postmaster'
import { repetitions } from '../support/counts'
import { freePort } from '../support/free-port'
import { fromBuild, type Program, startServer } from '../support/program'
import { call as callEndpoint } from './support/call'
import { someone } from './support/people'
import { signUpOverHttp } from './support/visitor'

const RESTARTS = repetitions(1, 20)
const CALLERS = 6
/** How long after the database accepts connections answers may still be 503: reads and the pool retry by then. */
const SLACK_MS = 2000

let directory: string
let server: Program
let api: string
let token: string
let projectId: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'teasel-away-'))
})
afterEach(async () => {
  server.child.kill('SIGTERM')
  await server.ended
  await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

const start = async (variables: Record<string, string>) => {
  const [port, signIn] = [await freePort(), await freePort()]
  api = `http://localhost:${port}`
  server = startServer(
    {
      NODE_ENV: 'production',
      TEASEL_HOSTS: 'api,sign-in',
      TEASEL_API_PORT: String(port),
      TEASEL_SIGN_IN_PORT: String(signIn),
      TEASEL_DATA_DIR: join(directory, 'data'),
      TEASEL_EMPTY: '1',
      TEASEL_LIMIT_REQUESTS_PER_MINUTE: '1000000',
      ...variables,
    },
    fromBuild,
  )
  await server.ready
  token = await signUpOverHttp({ api, signIn: `http://localhost:${signIn}`, console: 'http://localhost:5173' }, someone())
  projectId = (await callEndpoint(api, createPersonalProject, {}, { as: token, body: { name: 'Gateways' } })).body.id
}

type Answer = { began: number; ended: number; status: number; text: string; tag: string | undefined }

/** Sends reads and writes one after another until aborted. Status 0 is a broken connection. */
const call = async (answers: Answer[], stopping: AbortSignal, caller: number) => {
  for (let n = 0; !stopping.aborted; n++) {
    const began = Date.now()
    const tag = caller % 3 === 2 ? `tag-${caller}-${n}` : undefined
    const path = tag !== undefined ? `/projects/${projectId}/tags` : caller % 3 === 0 ? '/projects' : '/users/self'
    const body = tag === undefined ? undefined : JSON.stringify({ name: tag, colour: 'moss' })
    const headers = { [sessionHeader]: token, ...(body !== undefined && { 'content-type': 'application/json' }) }
    const { status, text } = await fetch(`${api}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers,
      body: body ?? null,
    }).then(
      async (answer) => ({ status: answer.status, text: await answer.text() }),
      (error: Error) => ({ status: 0, text: String(error.cause) }),
    )
    answers.push({ began, ended: Date.now(), status, text, tag })
    if (status !== 200 && status !== 201) await pause(20)
  }
}

const storedTags = async (url: string) => {
  const client = createClient({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ name: string }>('select name from tags where project_id = $1', [projectId])
  await client.end()
  return new Set(rows.map(({ name }) => name))
}

const accepts = async (url: string) => {
  const client = createClient({ connectionString: url })
  return client.connect().then(
    () => client.end().then(() => true),
    () => false,
  )
}

/** Restarts the database under traffic; it is `away` from the cut until it accepts connections. */
const restartUnderTraffic = async (url: () => Promise<string>, restart: () => Promise<void>) => {
  const answers: Answer[] = []
  const stopping = new AbortController()
  const callers = Array.from({ length: CALLERS }, (_, n) => call(answers, stopping.signal, n))
  const away: { from: number; to: number }[] = []
  const answersAfter = async (time: number, count: number) =>
    expect
      .poll(() => answers.filter(({ began, status }) => began > time && status < 300 && status > 0).length)
      .toBeGreaterThan(count)
  const pid = await server.pidOf('api')
  await answersAfter(0, 30)
  for (let n = 0; n < RESTARTS; n++) {
    const from = Date.now()
    await restart()
    await expect.poll(async () => accepts(await url()), { interval: 50 }).toBe(true)
    const to = Date.now()
    away.push({ from, to })
    await answersAfter(to, 30)
  }
  const acknowledged = () => answers.flatMap(({ status, tag }) => (status === 201 && tag !== undefined ? [tag] : []))
  await expect.poll(() => acknowledged().length).toBeGreaterThan(10)
  stopping.abort()
  await Promise.all(callers)
  const wrong = answers.filter(({ status }) => status === 0 || status >= 300)
  const outside = wrong.filter(({ began, ended }) => !away.some(({ from, to }) => ended >= from && began <= to + SLACK_MS))
  expect(wrong.filter(({ status }) => status !== 503).slice(0, 3)).toEqual([])
  expect(outside.slice(0, 3)).toEqual([])
  expect(wrong.length).toBeGreaterThan(0)
  expect(await server.pidOf('api')).toBe(pid)
  const stored = await storedTags(await url())
  expect(acknowledged().filter((tag) => !stored.has(tag))).toEqual([])
}

it('the API continues through kills of the embedded PostgreSQL under traffic, with 503 only while it is down, and loses no acknowledged change', async () => {
  await start({})
  const cluster = join(directory, 'data/postgres')
  // Finds it without starting it: that is the server's task here.
  const url = async () => (await findEmbedded(join(directory, 'data')))?.url ?? 'postgres://127.0.0.1:1/none'
  const isBack = async (killed: number) => {
    const found = await postmasterOf(cluster)
    return found !== undefined && found.pid !== killed && found.status === 'ready'
  }
  const kill = async () => {
    const { pid = 0 } = (await postmasterOf(cluster)) ?? {}
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => isBack(pid), { interval: 50 }).toBe(true)
  }
  await restartUnderTraffic(url, kill)
})

it('the API continues through restarts of an external PostgreSQL under traffic, with 503 only while it is down, and loses no acknowledged change', async () => {
  const own = { directory: join(directory, 'own'), port: await freePort() }
  let postgres: Embedded = await openEmbedded(own)
  try {
    await start({ DATABASE_URL: postgres.url })
    let count = 0
    // Alternates between a shutdown and a crash.
    const restart = async () => {
      if (count++ % 2 === 0) await postgres.stop()
      else process.kill(postgres.pid, 'SIGKILL')
      await expect.poll(() => postgres.lives()).toBe(false)
      postgres = await openEmbedded(own)
    }
    await restartUnderTraffic(async () => postgres.url, restart)
  } finally {
    server.child.kill('SIGTERM')
    await server.ended
    await postgres.stop()
  }
})
