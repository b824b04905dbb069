import { lte, sql } from 'drizzle-orm'
import PgBoss from 'pg-boss'
import { verifyAssets } from './assets/integrity'
import { idempotentAnswers, rateWindows } from './database/schema/plumbing'
import type { Deps } from './deps'
import { expireInvites } from './invites/expire'
import { tickRollouts } from './rollouts/tick'
import { retain } from './telemetry/retention'
import { rollUp } from './telemetry/roll-up'
import { sweepUploads } from './uploads/sweep'

type Job = {
  name: string
  everyS: number
  /** How long a run may be silent before another one takes its place: that of a killed process is never heard of again (F-16). */
  withinS: number
  run: (deps: Deps) => Promise<unknown>
}
export type Jobs = { stop: () => Promise<void> }

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
  { name: 'rollouts', everyS: 2, withinS: 10, run: tickRollouts },
  { name: 'uploads', everyS: 600, withinS: 900, run: sweepUploads },
  { name: 'invites', everyS: 300, withinS: 300, run: expireInvites },
  { name: 'plumbing', everyS: 600, withinS: 900, run: sweepPlumbing },
  { name: 'roll-up', everyS: 15, withinS: 300, run: ({ db, clock }) => rollUp(db, clock()) },
  { name: 'retention', everyS: 21_600, withinS: 900, run: ({ db, clock }) => retain(db, clock()) },
  { name: 'partitions', everyS: 21_600, withinS: 900, run: makePartitions },
  { name: 'integrity', everyS: 3600, withinS: 900, run: (deps) => verifyAssets(deps) },
]

// The queue remembers what it ran for as long as the slowest job's slot of time, or it could not keep one per slot.
const archiveAfterS = Math.max(...jobs.map(({ everyS }) => everyS))

const queue = { policy: 'stately', retryLimit: 0 } as const

/** Lays the queues, one process at a time: two that start together would wait for each other. */
const layQueues = async (boss: PgBoss, { pool }: Deps) => {
  const client = await pool.connect()
  try {
    await client.query("set statement_timeout = '60s'")
    await client.query("select pg_advisory_lock(hashtextextended('teasel job queues', 2))")
    await boss.start()
    for (const { name, withinS } of jobs) await boss.createQueue(name, { name, ...queue, expireInSeconds: withinS })
  } finally {
    // The lock and the setting end with the connection.
    client.release(true)
  }
}

const serve = async (boss: PgBoss, deps: Deps, { name, everyS, run }: Job) => {
  const { log } = deps
  await boss.work(name, { pollingIntervalSeconds: Math.min(everyS, 10), batchSize: 1 }, async () => {
    await run(deps).catch((error: unknown) => log.error({ err: error, job: name }, 'a job failed'))
  })
  const ask = () =>
    void boss
      .send(name, {}, { singletonSeconds: everyS })
      .catch((error: unknown) => log.error({ err: error, job: name }, 'a job could not be queued'))
  ask()
  return setInterval(ask, everyS * 1000).unref()
}

/**
 * What time does, once for all processes of a database (product.md 4.14). Every process asks for each job at its interval;
 * the queue keeps one of them per slot of time, and never runs two of a kind at once.
 */
export const startJobs = async (deps: Deps): Promise<Jobs> => {
  const { pool, log } = deps
  const db = { executeSql: (text: string, values: unknown[]) => pool.query(text, values) }
  const boss = new PgBoss({
    db,
    schema: 'pgboss',
    schedule: false,
    maintenanceIntervalSeconds: 5,
    archiveCompletedAfterSeconds: archiveAfterS,
    deleteAfterHours: 1,
  })
  boss.on('error', (error) => log.error(error, 'the job queue is in trouble'))
  await layQueues(boss, deps)
  const timers = await Promise.all(jobs.map((job) => serve(boss, deps, job)))
  return {
    stop: async () => {
      for (const timer of timers) clearInterval(timer)
      await boss.stop({ graceful: true, wait: true, timeout: 5000 })
    },
  }
}
