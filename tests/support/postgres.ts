import { mkdtemp, readdir, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import type { TestProject } from 'vitest/node'
import { createClient } from '../../server/core/database/clients'
import { openEmbedded } from '../../server/core/database/embedded'
import { migrate } from '../../server/core/database/migrate'
import { createRole, roleOf, withClient } from '../../server/core/database/roles'

declare module 'vitest' {
  export interface ProvidedContext {
    /** `hostUrl` connects as the role of the hosts. */
    postgres: { url: string; hostUrl: string; template: string }
  }
}

const PREFIX = 'teasel-test-'
const MEMORY = '/dev/shm'
const ROOM = 2 * 1024 ** 3

// Copying a database takes 10 ms in memory and 200 ms on many disks; containers often have too little memory for it.
const place = () =>
  statfs(MEMORY).then(
    ({ bavail, bsize }) => (bavail * bsize > ROOM ? MEMORY : tmpdir()),
    () => tmpdir(),
  )

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

// A killed run left its server behind: the next run ends it.
const sweep = async (folder: string) => {
  for (const name of (await readdir(folder)).filter((it) => it.startsWith(PREFIX))) {
    if (isAlive(Number(name.split('-')[2]))) continue
    const directory = join(folder, name)
    const left = await openEmbedded({ directory, durable: false }).catch(() => undefined)
    await left?.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

const ownServer = async () => {
  const folder = await place()
  await sweep(folder)
  const directory = await mkdtemp(join(folder, `${PREFIX}${process.pid}-`))
  const server = await openEmbedded({ directory, durable: false })
  return {
    url: server.url,
    hostUrl: server.hostUrl,
    stop: async () => {
      await server.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** An external server: each run creates a role for its hosts there. */
const givenServer = async (url: string) => {
  const role = `teasel_test_${randomBytes(4).toString('hex')}`
  const hostUrl = new URL(url)
  hostUrl.username = role
  hostUrl.password = randomBytes(12).toString('hex')
  await withClient(url, (client) => createRole(client, role, hostUrl.password))
  return {
    url,
    hostUrl: hostUrl.href,
    stop: () => withClient(url, async (client) => void (await client.query(`drop role if exists ${role}`))),
  }
}

/** One real PostgreSQL for all test files, with a migrated database that each of them copies. */
export const setup = async (project: TestProject) => {
  const given = process.env.TEASEL_TEST_DATABASE_URL
  const server = given ? await givenServer(given) : await ownServer()
  const template = `teasel_template_${randomBytes(4).toString('hex')}`
  const client = createClient({ connectionString: server.url })
  await client.connect()
  await client.query(`create database ${template}`)
  const url = new URL(server.url)
  url.pathname = `/${template}`
  await migrate({ url: url.href, hostRole: roleOf(server.hostUrl) })
  project.provide('postgres', { url: server.url, hostUrl: server.hostUrl, template })
  return async () => {
    await client.query(`drop database if exists ${template} with (force)`)
    await client.end()
    await server.stop()
  }
}
