import { openDatabase } from '../../server/core/database/open'
import { applyRetention } from '../../server/fleet/telemetry/retention'
import { rollUp } from '../../server/fleet/telemetry/roll-up.repository'

// One run of a job of telemetry in its own process, for tests that kill it: the job and its time are the arguments.
const [job, time = ''] = process.argv.slice(2)
const { db, close } = openDatabase({ url: process.env.DATABASE_URL ?? '', onError: () => {}, connections: 1 })
await (job === 'retention' ? applyRetention : rollUp)(db, new Date(time))
await close()
