import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { postmasterOf } from '../../server/core/database/postmaster'
import { freePort } from '../support/free-port'
import { fromBuild, type Program, startServer } from '../support/program'

const hosts = ['console', 'sign-in', 'api'] as const
type Host = (typeof hosts)[number]

let directory: string
let server: Program
let ports: Record<Host, number>

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'teasel-processes-'))
  ports = { console: await freePort(), 'sign-in': await freePort(), api: await freePort() }
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
})
afterEach(async () => {
  server.child.kill('SIGTERM')
  await server.ended
  const left = await postmasterOf(join(directory, 'postgres'))
  if (left) process.kill(left.pid, 'SIGQUIT')
  await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

const isReady = (host: Host) =>
  fetch(`http://localhost:${ports[host]}/readyz`).then(
    ({ status }) => status === 200,
    () => false,
  )

const pids = async () => Promise.all(hosts.map((host) => server.pidOf(host)))

/** kill -9 of one host; resolves when another process serves it. */
const killHost = async (host: Host) => {
  const before = await server.pidOf(host)
  process.kill(before ?? 0, 'SIGKILL')
  await expect.poll(async () => (await server.pidOf(host)) !== before && (await isReady(host))).toBe(true)
}

it('a killed host is restarted, while the other hosts and the database keep their processes', async () => {
  const postgres = await postmasterOf(join(directory, 'postgres'))
  for (const [index, host] of hosts.entries()) {
    const before = await pids()
    await killHost(host)
    const after = await pids()
    expect(after.filter((pid, n) => pid === before[n])).toHaveLength(2)
    expect(after[index]).toBeTypeOf('number')
  }
  expect((await postmasterOf(join(directory, 'postgres')))?.pid).toBe(postgres?.pid)
})

it('the fifth crash of a host within a minute stops the server with an error that gives the reason', async () => {
  for (let n = 0; n < 4; n++) await killHost('console')
  process.kill((await server.pidOf('console')) ?? 0, 'SIGKILL')
  expect(await server.ended).toBe(1)
  expect(server.printed()).toContain('The console host ended with SIGKILL: the fifth time within a minute that a host ended.')
  expect(await postmasterOf(join(directory, 'postgres'))).toBeUndefined()
  expect(await Promise.all(hosts.map(isReady))).toEqual([false, false, false])
})

it('the hosts end with the process that started them, also when that is killed', async () => {
  server.child.kill('SIGKILL')
  await server.ended
  expect(await Promise.all(hosts.map(isReady))).toEqual([false, false, false])
})
