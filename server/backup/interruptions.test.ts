import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createTestApi, type TestApi } from '../../tests/support/api'
import { createDatabase, type TestDatabase } from '../../tests/support/database'
import { fromSources, startServer } from '../../tests/support/program'
import { mountSmallDisk } from '../../tests/support/small-disk'
import type { Config } from '../core/config'
import { openEmbedded } from '../core/database/embedded'
import { openDatabase, type OpenDatabase } from '../core/database/open'
import { postmasterOf } from '../core/database/postmaster'
import { withClient } from '../core/database/roles'
import { backUp } from './back-up'
import { restore } from './restore'
import { within } from '../../tests/support/machine-load'

const say = () => {}
const keyFile = 'client-binaries/key.pem'

let api: TestApi
let source: Config
let home: string
let database: TestDatabase | undefined

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'teasel-interrupted-'))
  api = await createTestApi()
  source = { ...api.config, databaseOwnerUrl: api.ownerUrl }
  await api.project({ ownerId: (await api.person()).id })
  await mkdir(join(source.dataDirectory, 'artifacts'))
  await mkdir(join(source.dataDirectory, 'client-binaries'))
  await writeFile(join(source.dataDirectory, keyFile), 'k'.repeat(5000))
})
afterEach(async () => {
  await database?.drop()
  database = undefined
})
afterAll(async () => {
  await api.close()
  await rm(home, { recursive: true, force: true })
})

const target = async (dataDirectory: string): Promise<Config> => {
  database = await createDatabase({ bare: true })
  const { url: databaseUrl, ownerUrl: databaseOwnerUrl } = database
  const storage = { kind: 'directory' as const, path: await mkdtemp(join(home, 'files-')) }
  return { ...source, dataDirectory, databaseUrl, databaseOwnerUrl, storage }
}

const foldersOf = async (name: string) => (await readdir(home)).filter((it) => it.startsWith(name))

describe('a backup', () => {
  it('that another one to the same folder follows meanwhile is not disturbed by it', async () => {
    const at = join(home, 'nightly')
    const others: Promise<unknown>[] = []
    const first = backUp(source, at, () => {
      if (others.length === 0) others.push(backUp(source, at, say).catch((error: unknown) => error))
    })
    await first
    expect(await Promise.all(others)).toEqual([expect.objectContaining({ message: expect.stringContaining('running') })])
    expect(await foldersOf('nightly')).toEqual(['nightly'])
    expect(await readdir(at)).toContain('manifest.json')
  })

  /** Starts the command, and holds it at a table until `work` is done. */
  const whileItRuns = async (at: string, work: (program: ReturnType<typeof startServer>) => Promise<void>) => {
    const holding: OpenDatabase = openDatabase({ url: api.ownerUrl, onError: say, statementTimeoutMs: 0 })
    const client = await holding.pool.connect()
    await client.query('begin; lock table users in access exclusive mode')
    const variables = {
      TEASEL_DATA_DIR: source.dataDirectory,
      DATABASE_URL: source.databaseUrl ?? '',
      DATABASE_OWNER_URL: api.ownerUrl,
    }
    const program = startServer(variables, [...fromSources, 'backup', at])
    try {
      await expect.poll(() => program.printed(), { timeout: within(60_000) }).toContain('table ')
      await work(program)
    } finally {
      program.child.kill('SIGKILL')
      await program.ended
      client.release(true)
      await holding.close()
    }
  }

  it('keeps a new version from migrating while it runs', async () => {
    await whileItRuns(join(home, 'with-update'), async () => {
      const shared = `select 1 from pg_locks where locktype = 'advisory' and mode = 'ShareLock'
        and database = (select oid from pg_database where datname = current_database())`
      expect((await withClient(api.ownerUrl, (client) => client.query(shared))).rowCount).toBe(1)
    })
  })

  it('that is killed can be taken again into the same folder', async () => {
    const at = join(home, 'killed')
    await whileItRuns(at, async ({ child, ended }) => {
      child.kill('SIGKILL')
      await ended
    })
    await backUp(source, at, say)
    expect(await foldersOf('killed')).toEqual(['killed'])
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('that ends with %s leaves no folder behind', async (signal) => {
    const name = `ended-${signal}`
    await whileItRuns(join(home, name), async ({ child, ended }) => {
      child.kill(signal)
      expect(await ended).toBe(1)
    })
    expect(await foldersOf(name)).toEqual([])
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('of an installation that does not run stops its PostgreSQL at %s', async (signal) => {
    const directory = join(home, `stopped-${signal}`)
    const postgres = await openEmbedded({ directory, durable: false })
    // The connection of the backup waits until the server ends it.
    await withClient(postgres.url, (client) =>
      client.query(`
        create function wait() returns event_trigger language plpgsql as $$
        begin if current_setting('application_name') = 'teasel-backup' then perform pg_sleep(3600); end if; end $$;
        create event trigger waits on login execute function wait();
        alter event trigger waits enable always`),
    )
    await postgres.stop()
    const name = `of-stopped-${signal}`
    const { child, ended } = startServer({ TEASEL_DATA_DIR: directory }, [...fromSources, 'backup', join(home, name)])
    const running = () => postmasterOf(join(directory, 'postgres'))
    await expect.poll(async () => (await running())?.status).toBe('ready')
    child.kill(signal)
    child.kill(signal)
    expect(await ended).toBe(1)
    expect(await running()).toBeUndefined()
    expect(await foldersOf(name)).toEqual([])
  })
})

describe.skipIf(!mountSmallDisk.works)('a restore whose disk was full', () => {
  it('can be run again once there is space', async () => {
    const at = join(home, 'full')
    await backUp(source, at, say)
    const disk = mountSmallDisk(32)
    try {
      const filler = join(disk.path, 'teasel.log')
      await writeFile(filler, Buffer.alloc(28 * 1024))
      const config = await target(disk.path)
      await expect(restore(config, at, say)).rejects.toThrow('ENOSPC')
      await rm(filler)
      await restore(config, at, say)
      expect(await readFile(join(disk.path, keyFile), 'utf8')).toBe('k'.repeat(5000))
    } finally {
      disk.unmount()
    }
  })
})
