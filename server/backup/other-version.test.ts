import { createHash } from 'node:crypto'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestApi, type TestApi } from '../../tests/support/api'
import { createDatabase } from '../../tests/support/database'
import { backUp } from './back-up'
import { readManifest } from './manifest'
import { restore } from './restore'

const say = () => {}
let api: TestApi
let home: string

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'teasel-versions-'))
  api = await createTestApi()
})
afterAll(async () => {
  await api.close()
  await rm(home, { recursive: true, force: true })
})

it('a backup of an older version into a database that a newer one has migrated already is refused with what to do', async () => {
  const at = join(home, 'backup')
  await backUp({ ...api.config, databaseOwnerUrl: api.ownerUrl }, at, say)
  const older = join(home, 'older')
  await cp(at, older, { recursive: true })
  const { migrations, ...manifest } = await readManifest(at)
  const text = JSON.stringify({ ...manifest, migrations: migrations.slice(0, -1) })
  await writeFile(join(older, 'manifest.json'), `${createHash('sha256').update(text).digest('hex')}\n${text}\n`)
  const database = await createDatabase()
  const config = {
    ...api.config,
    dataDirectory: join(home, 'data'),
    storage: { kind: 'directory' as const, path: join(home, 'files') },
    databaseUrl: database.url,
    databaseOwnerUrl: database.ownerUrl,
  }
  try {
    await expect(restore(config, older, say)).rejects.toThrow('Restore into an empty data directory or a new database')
  } finally {
    await database.drop()
  }
})
