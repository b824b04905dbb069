import { spawn } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../../../tests/support/free-port'
import { type Embedded, openEmbedded } from './embedded'
import { openDatabase, type OpenDatabase } from './open'
import { preparePostgresPrograms } from './postgres-programs'
import { openReplica, type Replica } from './replica'
import { unprivileged } from './run-as'
import { within } from '../../../tests/support/machine-load'

const log = pino({ level: 'silent' })

let directory: string
let primary: Embedded
let written: OpenDatabase
let standby: Awaited<ReturnType<typeof startStandby>>

/** A hot standby made from the files of a stopped primary, which then replicates from it. */
const startStandby = async (from: string, url: string) => {
  const to = join(directory, 'standby')
  await cp(from, to, { recursive: true })
  await writeFile(join(to, 'standby.signal'), '')
  const { username, password, port } = new URL(url)
  const conninfo = `host=127.0.0.1 port=${port} user=${username} password=${password} application_name=standby`
  await writeFile(join(to, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\nhot_standby = on\n`)
  const { postgres } = await preparePostgresPrograms()
  const { prefix } = await unprivileged()
  const at = await freePort()
  const flags = [
    '-c',
    `port=${at}`,
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    'unix_socket_directories=',
    '-c',
    'max_connections=200',
  ]
  const [program = postgres, ...args] = [...prefix, postgres, '-D', to, ...flags]
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  child.stdout.resume()
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text))
  while (!printed.includes('ready to accept read-only connections')) {
    if (child.exitCode !== null) throw new Error(printed)
    await pause(50)
  }
  const own = new URL(url)
  own.port = String(at)
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGINT')
    await once(child, 'exit')
  }
  return { url: own.href, stop }
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'teasel-replica-'))
  const own = { directory: join(directory, 'primary'), port: await freePort() }
  const first = await openEmbedded(own)
  await first.stop()
  const { url } = first
  const from = join(directory, 'primary/postgres')
  standby = await startStandby(from, url)
  primary = await openEmbedded(own)
  expect(primary.url).toBe(url)
  written = openDatabase({ url, onError: () => {} })
  await written.pool.query('create table notes (text text not null)')
})
afterAll(async () => {
  await written.close()
  await standby.stop()
  await primary.stop()
  await rm(directory, { recursive: true, force: true })
})

const listNotes = async (replica: Replica) =>
  (await replica.find()?.execute<{ text: string }>(sql`select text from notes order by text`))?.rows.map(({ text }) => text)
const write = (text: string) => written.pool.query('insert into notes values ($1)', [text])

it('a replica is read only while it is at most the limit behind the primary, also when nothing is written', async () => {
  const replica = openReplica({ url: standby.url, primary: written.pool, log, lookMs: 100 })
  const owner = openDatabase({ url: standby.url, onError: () => {} })
  await write('a')
  await expect.poll(() => listNotes(replica)).toEqual(['a'])
  await owner.pool.query('select pg_wal_replay_pause()')
  await write('b')
  await expect.poll(() => replica.find() === undefined, { timeout: within(20_000) }).toBe(true)
  await owner.pool.query('select pg_wal_replay_resume()')
  await expect.poll(() => listNotes(replica), { timeout: within(20_000) }).toEqual(['a', 'b'])
  await owner.close()
  await replica.close()
})

it('a primary that ends makes the replica unread, and a primary that is back makes it read again', async () => {
  const replica = openReplica({ url: standby.url, primary: written.pool, log, lookMs: 100 })
  await expect.poll(() => replica.find() !== undefined).toBe(true)
  await primary.stop()
  await expect.poll(() => replica.find() === undefined, { timeout: within(20_000) }).toBe(true)
  primary = await openEmbedded({ directory: join(directory, 'primary'), port: primary.port })
  await expect.poll(() => replica.find() !== undefined, { timeout: within(30_000) }).toBe(true)
  await replica.close()
})

it('a replica that ends is no longer read', async () => {
  const replica = openReplica({ url: standby.url, primary: written.pool, log, lookMs: 100 })
  await expect.poll(() => replica.find() !== undefined).toBe(true)
  await standby.stop()
  await expect.poll(() => replica.find() === undefined, { timeout: within(20_000) }).toBe(true)
  await replica.close()
})
