import { setMaxListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { isNotNull, lte, or, sql } from 'drizzle-orm'
import type { PoolClient } from 'pg'
import PgBoss from 'pg-boss'
import { verifyAssets } from './updates/releases/assets/integrity'
import { openDatabase, type OpenDatabase } from './core/database/open'
import { passwordResets, registrations, signInCodes, signInSteps } from './accounts/schema/people'
import { idempotentAnswers, rateWindows } from './core/database/schema/plumbing'
import { runBulkChanges } from './updates/rollouts/bulk-changes'
import type { Deps } from './core/deps'
import { expireInvites } from './accounts/invites/expire'
import { tickRollouts } from './updates/rollouts/tick'
import { keepMails } from './core/mail/mail-job'
import { retain } from './fleet/telemetry/retention'
import { rollUp } from './fleet/telemetry/roll-up'
import { sweepUploads } from './updates/uploads/sweep'

type Job = {
  name: string
  everyS: number
  /** How long a run may be silent before another one takes its place: that of a killed process is never heard of again (F-16). */
  withinS: number
  /** How long one statement of it may take. A request has 5 s, since a person waits for it; nobody waits for a job. */
  statementS: number
  run: (deps: Deps) => Promise<unknown>
}
// A job's own connections, so that it takes none from the requests; idle ones close after 10 s.
const CONNECTIONS = 4
// A run that takes longer goes on until the database closes and is then taken for failed.
const STOP_S = 5

export type Jobs = { stop: () => Promise<void> }

// A used code that comes again ends its session: somebody else has seen it. So it is remembered for a day.
const CODE_KEPT_MS = 24 * 3_600_000

/** Codes, links and steps of the sign-in host that were used or are too old. */
export const sweepSignIns = async ({ db, clock }: Deps) => {
  const now = clock()
  await db.delete(signInCodes).where(lte(signInCodes.expiresAt, new Date(now.getTime() - CODE_KEPT_MS)))
  await db.delete(passwordResets).where(or(isNotNull(passwordResets.usedAt), lte(passwordResets.expiresAt, now)))
  await db.delete(registrations).where(lte(registrations.expiresAt, now))
  await db.delete(signInSteps).where(lte(signInSteps.expiresAt, now))
}

const sweepPlumbing = async ({ db, clock }: Deps) => {
  const now = clock()
  await db.delete(idempotentAnswers).where(lte(idempotentAnswers.expiresAt, now))
  await db.delete(rateWindows).where(lte(rateWindows.startedAt, new Date(now.getTime() - 3_600_000)))
}

// The audit log's own; those of what devices report are made where they are dropped (retention).
const makePartitions = async ({ db, clock }: Deps) => {
  const today = clock().toISOString().slice(0, 10)
  await db.execute(sql`select make_partitions('audit_entries', ${today}::date, 3)`)
}

const jobs: readonly Job[] = [
  // Two ticks at once do no harm: each takes the rollouts that the other does not hold.
  { name: 'rollouts', everyS: 2, withinS: 10, statementS: 20, run: tickRollouts },
  // Two at once do no harm here either; what a run does not get done is the next one's.
  { name: 'bulk-changes', everyS: 2, withinS: 10, statementS: 20, run: (deps) => runBulkChanges(deps) },
  { name: 'uploads', everyS: 600, withinS: 900, statementS: 60, run: sweepUploads },
  { name: 'invites', everyS: 300, withinS: 300, statementS: 60, run: expireInvites },
  { name: 'plumbing', everyS: 600, withinS: 900, statementS: 120, run: sweepPlumbing },
  { name: 'sign-ins', everyS: 600, withinS: 900, statementS: 60, run: sweepSignIns },
  { name: 'mails', everyS: 60, withinS: 900, statementS: 60, run: keepMails },
  { name: 'roll-up', everyS: 15, withinS: 300, statementS: 60, run: ({ db, clock }) => rollUp(db, clock()) },
  { name: 'retention', everyS: 21_600, withinS: 900, statementS: 300, run: ({ db, clock }) => retain(db, clock()) },
  { name: 'partitions', everyS: 21_600, withinS: 900, statementS: 60, run: makePartitions },
  { name: 'integrity-new', everyS: 15, withinS: 900, statementS: 60, run: (deps) => verifyAssets(deps, 100, 'unverified') },
  { name: 'integrity', everyS: 3600, withinS: 900, statementS: 60, run: (deps) => verifyAssets(deps) },
]

// The queue remembers what it ran for as long as the slowest job's slot of time, or it could not keep one per slot.
const archiveAfterS = Math.max(...jobs.map(({ everyS }) => everyS))

const queue = { policy: 'stately', retryLimit: 0 } as const

// Where the owner of the database has made the schema, the role of the hosts may not, and the queue would try.
const makeQueueTables = async (client: PoolClient) => {
  const { rows } = await client.query<{ bare: boolean }>(
    `select to_regnamespace('pgboss') is not null and to_regclass('pgboss.version') is null as bare`,
  )
  if (rows[0]?.bare)
    await client.query(PgBoss.getConstructionPlans('pgboss').replace(/CREATE SCHEMA IF NOT EXISTS pgboss\s*;/, ''))
}

/** Lays the queues, one process at a time: two that start together would wait for each other. */
const layQueues = async (boss: PgBoss, { pool }: Deps) => {
  const client = await pool.connect()
  try {
    await client.query("set statement_timeout = '60s'")
    await client.query("select pg_advisory_lock(hashtextextended('teasel job queues', 2))")
    await makeQueueTables(client)
    await boss.start()
    for (const { name, withinS } of jobs) await boss.createQueue(name, { name, ...queue, expireInSeconds: withinS })
  } finally {
    // The lock and the setting end with the connection.
    client.release(true)
  }
}

/** What a job works with: the same database, over connections with its own limit. */
const openJob = ({ pool, log }: Deps, { statementS }: Job): OpenDatabase =>
  openDatabase({
    url: pool.options.connectionString ?? '',
    connections: CONNECTIONS,
    statementTimeoutMs: statementS * 1000,
    onError: (error) => log.error(error, 'an idle database connection of a job broke'),
  })

/** Waits for `work`, but no longer than that. */
const atMost = async (seconds: number, work: Promise<unknown>): Promise<void> => {
  const over = new AbortController()
  const limit = pause(seconds * 1000, undefined, { ref: false, signal: over.signal }).catch(() => {})
  await Promise.race([work, limit]).finally(() => over.abort())
}

/** Its turns, one after another until `stopping`: each asks for the run of this slot of time and does what is due. */
const serve = async (boss: PgBoss, deps: Deps, { name, everyS, withinS, run }: Job, stopping: AbortSignal): Promise<void> => {
  while (!stopping.aborted) {
    try {
      await boss.send(name, {}, { singletonSeconds: everyS })
      const [due] = await boss.fetch(name)
      if (due) {
        const ran = run(deps).catch((error: unknown) => deps.log.error({ err: error, job: name }, 'a job failed'))
        await atMost(withinS, ran)
        await boss.complete(name, due.id)
      }
    } catch (error) {
      deps.log.error({ err: error, job: name }, 'a job could not be queued')
    }
    await pause(Math.min(everyS, 10) * 1000, undefined, { signal: stopping, ref: false }).catch(() => {})
  }
}

/** What the queue asks of the database; `over` when none of it is under way any more. */
const queries = ({ pool }: Deps) => {
  const running = new Set<Promise<unknown>>()
  const executeSql = (text: string, values: unknown[]) => {
    const query = pool.query(text, values)
    running.add(query)
    void query.catch(() => {}).finally(() => running.delete(query))
    return query
  }
  return {
    executeSql,
    over: async () => {
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}

/**
 * What time does, once for all processes of a database (product.md 4.14). Every process asks for each job at its interval;
 * the queue keeps one of them per slot of time, and never runs two of a kind at once.
 */
export const startJobs = async (deps: Deps): Promise<Jobs> => {
  const { executeSql, over } = queries(deps)
  const boss = new PgBoss({
    db: { executeSql },
    schema: 'pgboss',
    schedule: false,
    maintenanceIntervalSeconds: 5,
    archiveCompletedAfterSeconds: archiveAfterS,
    deleteAfterHours: 1,
  })
  boss.on('error', (error) => deps.log.error(error, 'the job queue is in trouble'))
  await layQueues(boss, deps)
  const stopping = new AbortController()
  // Every job waits by it.
  setMaxListeners(jobs.length, stopping.signal)
  const databases = jobs.map((job) => openJob(deps, job))
  const turns = jobs.map((job, n) => serve(boss, { ...deps, ...databases[n] }, job, stopping.signal))
  return {
    stop: async () => {
      stopping.abort()
      await atMost(STOP_S, Promise.all(turns))
      await boss.stop({ graceful: false })
      await over()
      await atMost(STOP_S, Promise.all(databases.map(({ close }) => close())))
    },
  }
}
