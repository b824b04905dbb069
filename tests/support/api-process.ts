import { pino } from 'pino'
import { buildApi } from '../../server/api'
import { startJobs } from '../../server/jobs'
import { readConfig } from '../../server/core/config'
import { openDatabase, requestLimits } from '../../server/core/database/open'
import { openStorage } from '../../server/core/storage/open-storage'

// A complete API host in its own process, for tests that kill it. It prints the port on which it listens.
const config = readConfig()
const { db, pool } = openDatabase({ url: config.databaseUrl ?? '', onError: () => {}, ...requestLimits(config) })
const log = pino({ level: 'silent' })
const clock = () => new Date()
const storage = await openStorage(config.storage)
const deps = { config, db, pool, log, clock, storage, mail: async () => {} }
const app = buildApi(deps)
const address = await app.listen({ port: config.ports.api, host: '127.0.0.1' })
if (process.env.TEASEL_TEST_JOBS === '1') await startJobs(deps)
process.stdout.write(`${address}\n`)
