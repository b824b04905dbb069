import { appendFile, chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createClient } from './clients'
import { type Embedded, openEmbedded } from './embedded'

let home: string
let directory: string
let opened: Embedded | undefined

const open = async (namespaces = true) => (opened = await openEmbedded({ directory, namespaces }))

const query = async (text: string) => {
  const client = createClient({ connectionString: opened?.url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'teasel-embedded-'))
  await chmod(home, 0o700)
  directory = join(home, 'data')
})
afterEach(async () => {
  await opened?.stop()
  opened = undefined
  await rm(home, { recursive: true, force: true })
})

it('makes a durable cluster that only its owner can read, with the password in a file of its own', async () => {
  await open()
  expect(await query('show fsync')).toEqual([{ fsync: 'on' }])
  expect((await stat(join(directory, 'postgres.password'))).mode & 0o777).toBe(0o600)
  expect((await stat(join(directory, 'postgres'))).mode & 0o777).toBe(0o700)
  expect((await stat(join(directory, 'postgres.host.password'))).mode & 0o777).toBe(0o600)
  expect((await readdir(directory)).toSorted()).toEqual([
    'postgres',
    'postgres.host.password',
    'postgres.log',
    'postgres.password',
  ])
  const stranger = createClient({ connectionString: opened?.url.replace(/:[^:@]+@/, ':guessed@') })
  await expect(stranger.connect()).rejects.toThrow('password authentication failed')
})

it('F-16: adopts a server that is still running, restarts one that was killed, and loses nothing', async () => {
  const first = await open()
  await query('create table kept as select 1 as n')
  const again = await open()
  expect(again).toMatchObject({ pid: first.pid, url: first.url, adopted: true })
  process.kill(first.pid, 'SIGKILL')
  const restarted = await open()
  expect(restarted.adopted).toBe(false)
  expect(await query('select n from kept')).toEqual([{ n: 1 }])
})

it('the log of a running server is cut when it is long, is kept in a second file, and goes on', async () => {
  await open()
  const log = join(directory, 'postgres.log')
  await appendFile(log, 'x'.repeat(9 * 1024 * 1024))
  await opened?.trimLog()
  expect((await stat(log)).size).toBe(0)
  expect((await stat(`${log}.1`)).size).toBeGreaterThan(9 * 1024 * 1024)
  await expect(query('select 1 / 0')).rejects.toThrow('division by zero')
  await expect.poll(() => readFile(log, 'utf8')).toMatch(/^[^\0]*division by zero/)
})

it('F-16: a server that is being killed and does not answer any more is started again', async () => {
  const first = await open()
  const path = join(directory, 'postgres/postmaster.pid')
  // Nothing listens on port 1: the process is still there, but cannot be reached.
  await writeFile(path, (await readFile(path, 'utf8')).replace(`\n${first.port}\n`, '\n1\n'))
  const killing = setTimeout(() => process.kill(first.pid, 'SIGKILL'), 300)
  const restarted = await open().finally(() => clearTimeout(killing))
  expect(restarted.adopted).toBe(false)
  expect(await query('select 1 as n')).toEqual([{ n: 1 }])
})

it('F-16: a stale pid file whose process id now belongs to another process does not block the start', async () => {
  await open()
  await opened?.stop()
  await writeFile(
    join(directory, 'postgres/postmaster.pid'),
    `${process.ppid}\n${directory}/postgres\n1\n1\n\n127.0.0.1\n\nready\n`,
  )
  expect((await open()).adopted).toBe(false)
  expect(await query('select 1 as n')).toEqual([{ n: 1 }])
})

it('F-16: a cluster whose creation was interrupted is created again', async () => {
  await openEmbedded({ directory }).then((it) => it.stop())
  await rm(join(directory, 'postgres'), { recursive: true })
  await writeFile(join(directory, 'postgres.new-cut'), 'half')
  await open()
  expect(await readdir(directory)).not.toContain('postgres.new-cut')
})

// As root only: an ordinary user has no other account to run as.
if (process.getuid?.() === 0)
  it('as root, in a folder that only root may enter, changes between a user namespace and the postgres user without losing the data', async () => {
    await open()
    await query('create table kept as select 1 as n')
    await opened?.stop()
    await open(false)
    expect(await query('select n from kept')).toEqual([{ n: 1 }])
    expect((await stat(join(directory, 'postgres'))).uid).not.toBe(0)
    await opened?.stop()
    await open()
    expect(await query('select n from kept')).toEqual([{ n: 1 }])
    expect((await stat(join(directory, 'postgres'))).uid).toBe(0)
  })

it('a cluster whose password file is lost is refused with what to do, and no other password is written', async () => {
  await openEmbedded({ directory }).then((it) => it.stop())
  await rm(join(directory, 'postgres.password'))
  await expect(open()).rejects.toThrow('postgres.password is missing')
  expect(await readdir(directory)).not.toContain('postgres.password')
})

it('a cluster whose version cannot be read is left as it is, and the error names the file', async () => {
  await mkdir(join(directory, 'postgres/PG_VERSION'), { recursive: true })
  await writeFile(join(directory, 'postgres.password'), 'secret')
  await expect(open()).rejects.toThrow('PG_VERSION')
  expect((await readdir(directory)).filter((name) => name.startsWith('postgres.new'))).toEqual([])
})

it('a cluster of another major version is refused with the way to move it', async () => {
  await openEmbedded({ directory }).then((it) => it.stop())
  await writeFile(join(directory, 'postgres/PG_VERSION'), '17\n')
  await expect(open()).rejects.toThrow(/created by PostgreSQL 17.*back it up with that version/s)
})
