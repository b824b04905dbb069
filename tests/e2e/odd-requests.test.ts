import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { repetitions } from '../support/counts'
import { freePort } from '../support/free-port'
import { fromBuild, type Program, startServer } from '../support/program'
import { oddRequests, sendRaw } from '../support/raw-requests'

const hosts = ['console', 'api', 'sign-in'] as const
type Host = (typeof hosts)[number]

const COUNT = repetitions(300, 2000)
const AT_ONCE = 20
const SEED = 9

let directory: string
let server: Program
let ports: Record<Host, number>
const pids: Partial<Record<Host, number | undefined>> = {}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'teasel-odd-'))
  ports = { console: await freePort(), api: await freePort(), 'sign-in': await freePort() }
  server = startServer(
    {
      NODE_ENV: 'production',
      TEASEL_WEB_PORT: String(ports.console),
      TEASEL_API_PORT: String(ports.api),
      TEASEL_SIGN_IN_PORT: String(ports['sign-in']),
      TEASEL_DATA_DIR: directory,
      TEASEL_EMPTY: '1',
    },
    fromBuild,
  )
  await server.ready
  for (const host of hosts) pids[host] = await server.pidOf(host)
})
afterAll(async () => {
  server.child.kill('SIGTERM')
  await server.ended
  await rm(directory, { recursive: true, force: true })
})

const lives = async (host: Host) => {
  const answer = await fetch(`http://localhost:${ports[host]}/healthz`)
  return { status: answer.status, pid: await server.pidOf(host), deaths: (await logged()).match(/a host ended unexpectedly/g) }
}
const logged = () => readFile(join(directory, 'teasel.log'), 'utf8')

const anonymous = [
  'GET /healthz',
  'GET /nowhere',
  'HEAD /healthz',
  'OPTIONS /healthz',
  'POST /sessions',
  'DELETE /sessions/current',
]

it.each(hosts)('no request without a body that claims to be gzip ends the %s host', async (host) => {
  for (const line of anonymous)
    await sendRaw(
      ports[host],
      Buffer.from(`${line} HTTP/1.1\r\nHost: localhost:${ports[host]}\r\nContent-Encoding: gzip\r\n\r\n`),
    )
  expect(await lives(host)).toEqual({ status: 200, pid: pids[host], deaths: null })
})

it.each(hosts)(
  `the %s host survives ${COUNT} odd combinations of headers and framing, and answers each within 5 s`,
  async (host) => {
    const requests = oddRequests(COUNT, SEED, `localhost:${ports[host]}`)
    const statuses = new Map<string, number>()
    const senders = Array.from({ length: AT_ONCE }, async () => {
      for (const request of requests) {
        const answer = await sendRaw(ports[host], request)
        for (const [, status = ''] of answer.matchAll(/^HTTP\/1\.1 (\d{3})/gm))
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    })
    await Promise.all(senders)
    expect(await lives(host)).toEqual({ status: 200, pid: pids[host], deaths: null })
    // Most are valid enough to be answered, and none causes an error of the host.
    expect([...statuses.values()].reduce((sum, n) => sum + n, 0)).toBeGreaterThan(COUNT / 2)
    expect([...statuses.keys()].filter((status) => status.startsWith('5'))).toEqual([])
  },
)
