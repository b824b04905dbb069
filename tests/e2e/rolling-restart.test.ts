import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { onboardingKey } from '../../contract/accounts/interstitials'
import { sessionHeader } from '../../contract/accounts/sessions'
import { type Embedded, openEmbedded } from '../../server/core/database/embedded'
import { repetitions } from '../support/counts'
import { freePort } from '../support/free-port'
import { fromBuild, type Program, startServer } from '../support/program'
import { someone } from './support/people'
import { signUpOverHttp } from './support/visitor'

const ROUNDS = repetitions(2, 10)
const CALLERS = 8
const DRAIN_S = 1
const LOOK_MS = 100

let directory: string
let database: Embedded
let signIn: number
let token: string
const ports: number[] = []
const programs: Program[] = []

const start = async (which: number) => {
  const program = startServer(
    {
      NODE_ENV: 'production',
      TEASEL_HOSTS: which === 0 ? 'api,sign-in' : 'api',
      TEASEL_API_PORT: String(ports[which]),
      TEASEL_SIGN_IN_PORT: String(signIn),
      TEASEL_DATA_DIR: join(directory, `data-${which}`),
      TEASEL_STORAGE: join(directory, 'storage'),
      TEASEL_DRAIN_S: String(DRAIN_S),
      TEASEL_LIMIT_REQUESTS_PER_MINUTE: '1000000',
      TEASEL_EMPTY: '1',
      DATABASE_URL: database.hostUrl,
      DATABASE_OWNER_URL: database.url,
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

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'teasel-rolling-'))
  database = await openEmbedded({ directory: join(directory, 'postgres'), durable: false })
  ports.push(await freePort(), await freePort())
  signIn = await freePort()
  await start(0)
  await start(1)
  const hosts = { api: `http://localhost:${ports[0]}`, signIn: `http://localhost:${signIn}`, console: 'http://localhost:5173' }
  token = await signUpOverHttp(hosts, someone())
})
afterAll(async () => {
  await Promise.all([stop(0), stop(1)])
  await database.stop()
  await rm(directory, { recursive: true, force: true })
})

type Count = { answers: number; unavailable: number; cut: string[] }

/** One request on a kept connection; the status, or how its connection was cut. */
const ask = (agent: Agent, port: number, n: number) =>
  new Promise<number | string>((resolve) => {
    const post = n % 4 === 0
    const asked = request({
      port,
      host: '127.0.0.1',
      path: post ? `/interstitials/${onboardingKey}` : '/users/self',
      method: post ? 'POST' : 'GET',
      agent,
      headers: { host: `localhost:${port}`, [sessionHeader]: token },
    })
    asked.on('response', (answer) => answer.resume().on('end', () => resolve(answer.statusCode ?? 0)))
    asked.on('error', (error: NodeJS.ErrnoException) =>
      resolve(`${error.code} ${asked.reusedSocket ? 'on a kept' : 'on a new'} connection`),
    )
    asked.end()
  })

it('a rolling restart of two processes behind a proxy with readiness checks loses no answer and no connection', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  const stopping = new AbortController()
  const ready = [true, true]
  // Acts like a proxy: checks each process at an interval, and sends to those that are ready.
  const look = async (which: number) => {
    while (!stopping.signal.aborted) {
      ready[which] = await fetch(`http://localhost:${ports[which]}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      )
      await pause(LOOK_MS)
    }
  }
  const count: Count = { answers: 0, unavailable: 0, cut: [] }
  const send = async (caller: number) => {
    for (let n = caller; !stopping.signal.aborted; n++) {
      const able = ports.filter((_, which) => ready[which])
      const port = able[n % able.length]
      if (port === undefined) {
        await pause(LOOK_MS)
        continue
      }
      const answer = await ask(agent, port, n)
      if (typeof answer === 'string') count.cut.push(answer)
      else if (answer === 503) count.unavailable += 1
      else count.answers += answer < 300 ? 1 : 0
    }
  }
  const work = [look(0), look(1), ...Array.from({ length: CALLERS }, (_, n) => send(n))]
  for (let round = 0; round < ROUNDS; round++)
    for (const which of [0, 1]) {
      await stop(which)
      await start(which)
      await expect.poll(() => ready[which]).toBe(true)
    }
  stopping.abort()
  await Promise.all(work)
  agent.destroy()
  expect(count.answers).toBeGreaterThan(500)
  expect({ unavailable: count.unavailable, cut: count.cut }).toEqual({ unavailable: 0, cut: [] })
})
