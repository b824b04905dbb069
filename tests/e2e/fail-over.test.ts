import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../server/core/database/clients'
import { createEnrollmentToken } from '../../contract/fleet/enrollment-tokens'
import { deviceSystemLogs } from '../../contract/fleet/device-logs'
import { enroll, logs } from '../../contract/device/endpoints'
import { createPersonalProject } from '../../contract/accounts/project-changes'
import { sessionHeader } from '../../contract/accounts/sessions'
import { isFull } from '../support/counts'
import { enrollBody } from '../support/devices'
import { freePort } from '../support/free-port'
import { hasHaproxy, startHaproxy } from '../support/haproxy'
import { createDeployedDatabase, hasPatroni, startPatroni } from '../support/patroni'
import { fromBuild, type Program, startServer } from '../support/program'
import { call } from './support/call'
import { someone } from './support/people'
import { signUpOverHttp } from './support/visitor'

const canRun = isFull && hasHaproxy && hasPatroni
const FAIL_OVERS = 2
const WRITERS = 4

let directory: string
let patroni: Awaited<ReturnType<typeof startPatroni>> | undefined
let proxy: Awaited<ReturnType<typeof startHaproxy>> | undefined
let server: Program | undefined
let port: { primary: number; replicas: number; api: number; signIn: number }
let api: string
let token: string
let projectId: string

const urlOf = (role: string, password: string, to = port.primary, database = 'teasel') =>
  `postgres://${role}:${password}@127.0.0.1:${to}/${database}`

beforeAll(async () => {
  if (!canRun) return
  directory = await mkdtemp(join(tmpdir(), 'teasel-fail-over-'))
  port = { primary: await freePort(), replicas: await freePort(), api: await freePort(), signIn: await freePort() }
  patroni = await startPatroni(directory)
  await patroni.settled(3)
  const servers = patroni.servers.map(({ name, port: own, restPort }, n) => [
    `server ${name} 10.0.0.1${n + 1}:5432`,
    `server ${name} 127.0.0.1:${own} port ${restPort}`,
  ])
  proxy = await startHaproxy({
    file: 'haproxy-postgres.cfg',
    directory,
    port: port.primary,
    replacements: {
      'bind 127.0.0.1:5000': `bind 127.0.0.1:${port.primary}`,
      'bind 127.0.0.1:5001': `bind 127.0.0.1:${port.replicas}`,
      ' port 8008': '',
      ...Object.fromEntries(servers),
    },
  })
  const superuser = urlOf('postgres', 'secret-1', port.primary, 'postgres')
  // haproxy takes every server for a primary until its first checks have failed.
  while (new Set(proxy.printed().match(/Server primary\/db-\d is DOWN/g)).size < 2) await pause(100)
  await createDeployedDatabase(superuser, { owner: 'owner-1', host: 'host-1' })
  const variables = {
    NODE_ENV: 'production',
    TEASEL_HOSTS: 'api,sign-in',
    TEASEL_API_PORT: String(port.api),
    TEASEL_SIGN_IN_PORT: String(port.signIn),
    TEASEL_DATA_DIR: join(directory, 'data'),
    TEASEL_STORAGE: join(directory, 'storage'),
    TEASEL_LIMIT_DATABASE_S: '5',
    TEASEL_LIMIT_REQUESTS_PER_MINUTE: '1000000',
    TEASEL_EMPTY: '1',
    DATABASE_URL: urlOf('teasel_host', 'host-1'),
    DATABASE_OWNER_URL: urlOf('teasel_owner', 'owner-1'),
    DATABASE_READ_URL: urlOf('teasel_host', 'host-1', port.replicas),
  }
  server = startServer(variables, fromBuild)
  await server.ready
  api = `http://localhost:${port.api}`
  token = await signUpOverHttp({ api, signIn: `http://localhost:${port.signIn}`, console: 'http://localhost:5173' }, someone())
  projectId = (await call(api, createPersonalProject, {}, { as: token, body: { name: 'Gateways' } })).body.id
})
afterAll(async () => {
  if (!canRun) return
  server?.child.kill('SIGTERM')
  await server?.ended
  await proxy?.stop()
  await patroni?.stop()
  await rm(directory, { recursive: true, force: true })
})

type Writes = { acknowledged: string[]; statuses: Map<number, number> }

/** Creates tags with new names, one after another, until aborted. */
const write = async ({ acknowledged, statuses }: Writes, stopping: AbortSignal, writer: number) => {
  for (let n = 0; !stopping.aborted; n++) {
    const name = `tag-${writer}-${n}`
    const answer = await fetch(`${api}/projects/${projectId}/tags`, {
      method: 'POST',
      headers: { [sessionHeader]: token, 'content-type': 'application/json' },
      body: JSON.stringify({ name, colour: 'moss' }),
    })
    await answer.text()
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    if (answer.status === 201) acknowledged.push(name)
    else await pause(100)
  }
}

const storedTags = async () => {
  const client = createClient({ connectionString: urlOf('teasel_owner', 'owner-1') })
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>('select name from tags where project_id = $1', [projectId])
    return new Set(rows.map(({ name }) => name))
  } finally {
    await client.end()
  }
}

describe.skipIf(!canRun)('with three PostgreSQL servers under Patroni and haproxy, configured by docs/deploy', () => {
  it('F-18: the loss of the primary, twice, loses no acknowledged change, and the hosts continue without a restart', async () => {
    const pids = () => Promise.all(['api', 'sign-in'].map(async (host) => server?.pidOf(host)))
    const before = await pids()
    const writes: Writes = { acknowledged: [], statuses: new Map() }
    const stopping = new AbortController()
    const writers = Array.from({ length: WRITERS }, (_, writer) => write(writes, stopping.signal, writer))
    const more = (count: number) => {
      const wanted = writes.acknowledged.length + count
      return expect.poll(() => writes.acknowledged.length).toBeGreaterThan(wanted)
    }
    await more(100)
    for (let n = 0; n < FAIL_OVERS; n++) {
      const primary = await patroni?.settled(3)
      if (!patroni || !primary) throw new Error('There is no primary.')
      await patroni.kill(primary)
      const lost = performance.now()
      // Requests that were running at the kill may still be acknowledged: some of these answers are from the new primary.
      await more(WRITERS + 100)
      process.stdout.write(`fail-over ${n + 1}: ${Math.round((performance.now() - lost) / 1000)} s\n`)
      await patroni.start(primary)
    }
    stopping.abort()
    await Promise.all(writers)
    const stored = await storedTags()
    process.stdout.write(`acknowledged: ${writes.acknowledged.length}, statuses: ${JSON.stringify([...writes.statuses])}\n`)
    expect(writes.acknowledged.filter((name) => !stored.has(name))).toEqual([])
    expect([...writes.statuses.keys()].filter((status) => status !== 201 && status !== 503)).toEqual([])
    expect(await pids()).toEqual(before)
    await patroni?.settled(3)
  })

  it('the log of a device is read from a replica, with what the device has sent', async () => {
    const facts = { name: 'field', auto_accept: true }
    const { body } = await call(api, createEnrollmentToken, { projectId }, { as: token, body: facts })
    const { body: device } = await call(api, enroll, {}, { as: body.token, body: enrollBody() })
    const line = {
      sequence: 1,
      ts_ms: Date.now(),
      level: 'info',
      unit: 'app',
      message: 'started',
      boot_id: '0b54b1e2-6f0e-4a3f-9d3a-6f1f0a9d7c11',
    }
    await call(api, logs, {}, { as: device.device_token, rows: `${JSON.stringify(line)}\n` })
    const read = async () => {
      const answer = await call(api, deviceSystemLogs, { deviceId: device.device_id }, { as: token })
      return answer.body.lines.map(({ message }) => message)
    }
    await expect.poll(read).toEqual(['started'])
    expect(await readFile(join(directory, 'data/teasel.log'), 'utf8')).toContain('reads that bear a lag go to the replica')
  })
})
