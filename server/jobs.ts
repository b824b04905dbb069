import type { PoolClient, QueryConfig } from 'pg'
import PgBoss from 'pg-boss'
import { notificationDays } from '../contract/accounts/notifications'
import { deliveryDays } from '../contract/accounts/webhooks'
import { verifyAssets } from './updates/releases/assets/integrity'
import { requireSteadyClock } from './core/database/clock-jump'
import { openDatabase, type OpenDatabase } from './core/database/open'
import { deleteBillingEventsBefore } from './accounts/billing/repository'
import { deleteExpiredEmailChanges } from './accounts/credentials/email-changes.repository'
import { deleteEndedResets } from './accounts/credentials/password-resets.repository'
import { deleteExpiredRegistrations } from './accounts/credentials/registrations.repository'
import { deleteExpiredLogoutTokens } from './accounts/identities/repository'
import { deleteExpiredIdentityRequests } from './accounts/identities/requests.repository'
import { deleteSessionsExpiredBefore } from './accounts/sessions/repository'
import { deleteExpiredCodes } from './accounts/sessions/sign-in-codes.repository'
import { deleteExpiredSteps } from './accounts/sessions/sign-in-steps.repository'
import { deleteSignInsExpiredBefore } from './accounts/sessions/sign-ins.repository'
import { createAuditPartitions, deleteExpiredAnswers, deleteRateWindows } from './core/database/plumbing.repository'
import { areRolloutsUnderway } from './updates/rollouts/rows/rollout-rows.repository'
import { areChangesLeft } from './updates/rollouts/run/bulk-changes.repository'
import { areJobsRunning } from './fleet/device-jobs/repository'
import { isAnythingQueued } from './accounts/notifications/queue.repository'
import { areMailsDue } from './accounts/notifications/due-mails.repository'
import { areDevicesCounted } from './fleet/devices/state/counts.repository'
import { areChangesDue } from './fleet/devices/state/state-changes.repository'
import { areCountsChanged as areRolloutCountsChanged } from './updates/rollouts/offer/counts.repository'
import { areBundlesChecking } from './updates/secure-boot/repository'
import { areSbomsWaiting } from './updates/releases/components/repository'
import { areAssetsUnverified } from './updates/releases/assets/repository'
import { haltRollouts } from './updates/rollouts/steps/cancel'
import { runBulkChanges } from './updates/rollouts/run/bulk-changes'
import type { Deps } from './core/deps'
import { daysBefore, secondsAfter } from './core/days'
import type { Job } from './core/jobs/job'
import { atMost, takeTurns } from './core/jobs/turns'
import { lifetimes } from './core/lifetimes'
import { expireInvites } from './accounts/invites/expire'
import { findAskers } from './updates/rollouts/offer/askers.repository'
import { tickRollouts } from './updates/rollouts/tick'
import { hasUnapprovedRollout } from './updates/rollouts/steps/unapproved.repository'
import { maintainMails } from './core/mail/mail-job'
import { deliverEvents } from './accounts/webhooks/deliver'
import {
  areDeliveriesDue,
  deleteDeliveriesBefore,
  deleteDeliveriesOfDeletedWebhooks,
} from './accounts/webhooks/deliveries.repository'
import { announceExpiringTokens } from './accounts/access-tokens/expiring'
import { copyDdiDevice } from './ddi/devices.repository'
import { runDeviceJobs } from './fleet/device-jobs/run'
import { deleteQueuedBefore } from './core/events/queue'
import { createNotifications } from './accounts/notifications/create'
import { deleteBrowsersBefore } from './accounts/notifications/browsers.repository'
import { deleteNotificationsBefore } from './accounts/notifications/repository'
import { sendNotificationMails } from './accounts/notifications/send'
import { announceStateChanges } from './fleet/devices/state/state-changes'
import { announceExpiringKeys } from './fleet/keys/expiring'
import { applyRetention } from './fleet/telemetry/retention'
import { makePartitions as makeTelemetryPartitions } from './fleet/telemetry/retention.repository'
import { countDevicesOfPlan } from './fleet/devices/repository'
import { maintainCounts, verifyCounts } from './fleet/devices/state/counts'
import { maintainRolloutCounts, verifyRolloutCounts } from './updates/rollouts/offer/maintain-counts'
import { forgetStaleHealth } from './fleet/telemetry/stale-health.repository'
import { isRollUpDue, rollUp } from './fleet/telemetry/roll-up.repository'
import { readSboms } from './updates/releases/components/read-sboms'
import { checkInThread } from './updates/secure-boot/checks/check-in-thread'
import { runBundleChecks } from './updates/secure-boot/run-checks'
import { sweepUploads } from './updates/uploads/sweep'

// Jobs have their own connections, so that they take none from the requests; idle ones close after 10 s.
const CONNECTIONS = 4
// A run that takes longer continues until the database closes, and then counts as failed.
const STOP_S = 5

export type Jobs = { stop: () => Promise<void> }

/** Deletes sessions, and codes, links and steps of the sign-in host, that were used or have expired. */
export const sweepSignIns = async ({ db, clock }: Deps) => {
  const now = clock()
  await deleteExpiredCodes(db, secondsAfter(now, -lifetimes.usedSignInCodeS))
  await deleteEndedResets(db, now)
  await deleteExpiredEmailChanges(db, now)
  await deleteExpiredRegistrations(db, now)
  await deleteExpiredSteps(db, now)
  await deleteExpiredIdentityRequests(db, now)
  await deleteExpiredLogoutTokens(db, now)
  await deleteBrowsersBefore(db, daysBefore(now, lifetimes.knownBrowserDays))
  await deleteSessionsExpiredBefore(db, daysBefore(now, lifetimes.expiredSessionDays))
  await deleteSignInsExpiredBefore(db, daysBefore(now, lifetimes.expiredSessionDays))
}

/** Deletes what is kept for a limited time only: stored answers, request counts, notifications, webhook deliveries, billing events. */
export const sweepPlumbing = async ({ db, clock }: Deps) => {
  const now = clock()
  await deleteExpiredAnswers(db, now)
  await deleteRateWindows(db, new Date(now.getTime() - 3_600_000))
  await deleteNotificationsBefore(db, daysBefore(now, notificationDays))
  await deleteDeliveriesBefore(db, daysBefore(now, deliveryDays))
  await deleteDeliveriesOfDeletedWebhooks(db)
  await deleteQueuedBefore(db, daysBefore(now, notificationDays))
  await deleteBillingEventsBefore(db, daysBefore(now, lifetimes.billingEventDays))
}

const notificationSources = { findAskers, countDevices: countDevicesOfPlan }

const announceExpirations = async (deps: Deps) => {
  await announceExpiringKeys(deps)
  await announceExpiringTokens(deps)
}

// Only the audit log's partitions; those of telemetry are created by the retention job.
const makePartitions = ({ db, clock }: Deps) => createAuditPartitions(db, clock())

/** Deletion by age: not while the clock has jumped. */
const byAge = (run: (deps: Deps) => Promise<unknown>) => async (deps: Deps) => {
  await requireSteadyClock(deps.db, deps.clock())
  return run(deps)
}

const staleAtOnce = 500

/** In slices, so that no check-in waits long for the row of its device. */
const forgetHealth = async ({ db, clock }: Deps) => {
  while ((await forgetStaleHealth(db, clock(), staleAtOnce)) === staleAtOnce);
}

const retain = async ({ db, clock }: Deps) => {
  const now = clock()
  await requireSteadyClock(db, now).catch(async (error: unknown) => {
    // What arrives meanwhile needs them: rows in the default partition would keep theirs from being created later.
    await makeTelemetryPartitions(db, now)
    throw error
  })
  await applyRetention(db, now)
}

export const jobs: readonly Job[] = [
  // Concurrent ticks are safe: each takes the rollouts that the other has not locked.
  { name: 'rollouts', everyS: 2, withinS: 10, statementS: 20, when: areRolloutsUnderway, run: tickRollouts },
  // Concurrent runs are safe here too; the next run continues what one leaves.
  { name: 'bulk-changes', everyS: 2, withinS: 10, statementS: 20, when: areChangesLeft, run: (deps) => runBulkChanges(deps) },
  {
    name: 'device-jobs',
    everyS: 2,
    withinS: 10,
    statementS: 20,
    when: areJobsRunning,
    run: (deps) => runDeviceJobs(deps, { copyClientState: copyDdiDevice, hasUnapprovedRollout }),
  },
  { name: 'uploads', everyS: 600, withinS: 900, statementS: 60, run: byAge(sweepUploads) },
  { name: 'invites', everyS: 300, withinS: 300, statementS: 60, run: byAge(expireInvites) },
  { name: 'plumbing', everyS: 600, withinS: 900, statementS: 120, run: byAge(sweepPlumbing) },
  { name: 'sign-ins', everyS: 600, withinS: 900, statementS: 60, run: byAge(sweepSignIns) },
  { name: 'mails', everyS: 60, withinS: 900, statementS: 60, run: maintainMails },
  {
    name: 'notifications',
    everyS: 2,
    withinS: 60,
    statementS: 20,
    when: isAnythingQueued,
    run: (deps) => createNotifications(deps, notificationSources),
  },
  { name: 'notification-mails', everyS: 5, withinS: 900, statementS: 20, when: areMailsDue, run: sendNotificationMails },
  // Concurrent runs are safe here too: each takes the deliveries that the other has not.
  { name: 'webhooks', everyS: 1, withinS: 10, statementS: 20, when: areDeliveriesDue, run: deliverEvents },
  { name: 'roll-up', everyS: 15, withinS: 300, statementS: 60, when: isRollUpDue, run: ({ db, clock }) => rollUp(db, clock()) },
  { name: 'counts', everyS: 5, withinS: 60, statementS: 60, when: areDevicesCounted, run: maintainCounts, wakes: 'rollouts' },
  { name: 'counts-check', everyS: 21_600, withinS: 900, statementS: 300, run: verifyCounts },
  { name: 'state-changes', everyS: 5, withinS: 60, statementS: 60, when: areChangesDue, run: announceStateChanges },
  { name: 'stale-health', everyS: 600, withinS: 300, statementS: 60, run: forgetHealth },
  { name: 'expiring', everyS: 600, withinS: 300, statementS: 60, run: announceExpirations },
  {
    name: 'rollout-counts',
    everyS: 5,
    withinS: 60,
    statementS: 60,
    when: areRolloutCountsChanged,
    run: maintainRolloutCounts,
    wakes: 'rollouts',
  },
  { name: 'rollout-counts-check', everyS: 21_600, withinS: 900, statementS: 300, run: verifyRolloutCounts },
  { name: 'retention', everyS: 21_600, withinS: 900, statementS: 300, run: retain },
  { name: 'partitions', everyS: 21_600, withinS: 900, statementS: 60, run: makePartitions },
  {
    name: 'bundle-checks',
    everyS: 2,
    withinS: 300,
    statementS: 20,
    when: areBundlesChecking,
    run: (deps) => runBundleChecks(deps, checkInThread(deps.log)),
  },
  { name: 'sboms', everyS: 5, withinS: 300, statementS: 60, when: areSbomsWaiting, run: (deps) => readSboms(deps) },
  {
    name: 'integrity-new',
    everyS: 15,
    withinS: 900,
    statementS: 60,
    when: areAssetsUnverified,
    run: (deps) => verifyAssets({ ...deps, haltRollouts }, 100, 'unverified'),
  },
  { name: 'integrity', everyS: 3600, withinS: 900, statementS: 60, run: (deps) => verifyAssets({ ...deps, haltRollouts }) },
]

// The queue must remember runs for as long as the longest interval, or it could not limit them to one per interval.
const archiveAfterS = Math.max(...jobs.map(({ everyS }) => everyS))

// Removes what was archived. A run whose process was killed is replaced without it.
const maintenanceS = 300

const queue = { policy: 'stately', retryLimit: 0 } as const

// If the owner of the database created the schema, the role of the hosts must not, and the queue would try.
const makeQueueTables = async (client: PoolClient) => {
  const { rows } = await client.query<{ bare: boolean }>(
    `select to_regnamespace('pgboss') is not null and to_regclass('pgboss.version') is null as bare`,
  )
  if (rows[0]?.bare)
    await client.query(PgBoss.getConstructionPlans('pgboss').replace(/CREATE SCHEMA IF NOT EXISTS pgboss\s*;/, ''))
}

/** Creates the queues, one process at a time: two that start together would deadlock. */
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

/** The database of a job: the same one, over connections with its own time limit. */
const openJob = ({ pool, log, metrics }: Deps, { statementS }: Job): OpenDatabase => {
  const database = openDatabase({
    url: pool.options.connectionString ?? '',
    connections: CONNECTIONS,
    statementTimeoutMs: statementS * 1000,
    onError: (error) => log.error(error, 'an idle database connection of a job was lost'),
  })
  metrics?.watchPool('jobs', database.pool)
  return database
}

/** The queue's access to the database; `over` resolves when no query is running any more, and none begins after it. */
const queries = ({ pool }: Deps) => {
  const running = new Set<Promise<unknown>>()
  let isOver = false
  const query = async (config: QueryConfig) => {
    // A run that outlasts the stop would store its end: its process is about to close the pool.
    if (isOver) throw new Error('The job queue of this process has stopped.')
    const asked = pool.query<Record<string, never>>(config)
    running.add(asked)
    void asked.catch(() => {}).finally(() => running.delete(asked))
    return asked
  }
  return {
    query,
    executeSql: (text: string, values: unknown[]) => query({ text, values }),
    over: async () => {
      while (running.size > 0) await Promise.allSettled(running)
      isOver = true
    },
  }
}

/**
 * Starts the time-driven jobs, each run once for all processes of a database. Every process requests each job that has something to
 * do at its interval; the queue keeps one request per interval, and never runs two of a kind at once.
 */
export const startJobs = async (deps: Deps): Promise<Jobs> => {
  const { query, executeSql, over } = queries(deps)
  const boss = new PgBoss({
    db: { executeSql },
    schema: 'pgboss',
    schedule: false,
    maintenanceIntervalSeconds: maintenanceS,
    archiveCompletedAfterSeconds: archiveAfterS,
    deleteAfterHours: 1,
  })
  boss.on('error', (error) => deps.log.error(error, 'the job queue is in trouble'))
  await layQueues(boss, deps)
  const stopping = new AbortController()
  const databases = jobs.map((job) => openJob(deps, job))
  const each = jobs.map((job, n) => ({ job, deps: { ...deps, ...databases[n] } }))
  const turns = takeTurns({ boss, query }, each, stopping.signal)
  return {
    stop: async () => {
      stopping.abort()
      await atMost(STOP_S, turns)
      await boss.stop({ graceful: false })
      await over()
      await atMost(STOP_S, Promise.all(databases.map(({ close }) => close())))
    },
  }
}
