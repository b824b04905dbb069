import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { buildApi } from '../../server/api'
import { readConfig } from '../../server/core/config'
import { openEmbedded } from '../../server/core/database/embedded'
import { migrate } from '../../server/core/database/migrate'
import { openDatabase } from '../../server/core/database/open'
import { roleOf } from '../../server/core/database/roles'
import type { Deps } from '../../server/core/deps'
import { freePort } from '../support/free-port'
import { memoryStorage } from '../support/storage'
import { unlimited } from './server'

/** An API host in this process, with its own embedded database. */
export const openBenchApi = async (connections?: number) => {
  const directory = await mkdtemp(join(tmpdir(), 'teasel-bench-'))
  const embedded = await openEmbedded({ directory })
  await migrate({ url: embedded.url, hostRole: roleOf(embedded.hostUrl) })
  const opened = openDatabase({ url: embedded.hostUrl, onError: () => {}, ...(connections !== undefined && { connections }) })
  const port = await freePort()
  const deps: Deps = {
    config: readConfig({
      TEASEL_DATA_DIR: directory,
      DATABASE_URL: embedded.hostUrl,
      TEASEL_API_PORT: String(port),
      TEASEL_LIMIT_REQUESTS_PER_MINUTE: unlimited,
      TEASEL_LIMIT_DEVICE_REQUESTS_PER_MINUTE: unlimited,
    }),
    db: opened.db,
    pool: opened.pool,
    log: pino({ level: 'fatal' }),
    clock: () => new Date(),
    storage: memoryStorage(),
    mail: async () => {},
  }
  const app = buildApi(deps)
  await app.listen({ port, host: '127.0.0.1' })
  return {
    api: `http://localhost:${port}`,
    deps,
    embedded,
    close: async () => {
      await app.close()
      await opened.close()
      await embedded.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** The blocks that the only connection of a pool has read so far. */
export const blocksReadBy = async ({ pool }: Pick<Deps, 'pool'>): Promise<number> => {
  await pool.query('select pg_stat_force_next_flush()')
  const { rows } = await pool.query<{ n: number }>(
    'select sum(coalesce(reads, 0) + coalesce(hits, 0))::float8 as n from pg_stat_get_backend_io(pg_backend_pid())',
  )
  return rows[0]?.n ?? 0
}
