import { sql } from 'drizzle-orm'
import { type RolloutPhase, rolloutMoves, rolloutStateOf } from '../../../machines/rollout/rollout.machine'
import { webhookDeliveries } from '../../accounts/schema/webhooks'
import { mails } from '../../core/database/schema/plumbing'
import { textList } from '../../core/database/text-list'
import type { Tx } from '../../core/database/tx'
import type { Values } from '../../core/metrics/metrics'
import { isInUse } from '../../fleet/devices/state/computed.repository'
import { deviceCountChanges, deviceCounts } from '../../fleet/schema/counts'
import { rollouts } from '../../updates/schema/rollouts'

const underway: readonly RolloutPhase[] = rolloutMoves.withTag('underway')

/** From the kept counts: their rows are combinations of values, not devices. */
const countDevices = async (tx: Tx): Promise<Values> => {
  const { rows } = await tx.execute<{ contact: string; n: number }>(sql`
    select contact, sum(n)::bigint as n
    from (select contact, lifecycle, n from ${deviceCounts} union all select contact, lifecycle, n from ${deviceCountChanges}) as counted
    where ${isInUse}
    group by contact`)
  return { online: 0, late: 0, offline: 0, never_seen: 0, ...Object.fromEntries(rows.map(({ contact, n }) => [contact, n])) }
}

/** By the index of rollouts under way: those that have ended are not read. */
const countRollouts = async (tx: Tx): Promise<Values> => {
  const { rows } = await tx.execute<{ phase: RolloutPhase; n: number }>(sql`
    select phase, count(*) as n from ${rollouts} where phase in ${textList(underway)} group by phase`)
  const counts: Record<string, number> = Object.fromEntries(underway.map((phase) => [rolloutStateOf(phase), 0]))
  for (const { phase, n } of rows) counts[rolloutStateOf(phase)] = (counts[rolloutStateOf(phase)] ?? 0) + n
  return counts
}

/** A receiver that is away for days must not make a scrape slow. */
const mostCounted = 10_000

const countWaiting = async (tx: Tx, table: typeof mails | typeof webhookDeliveries): Promise<number> => {
  const { rows } = await tx.execute<{ n: number }>(sql`
    select count(*) as n from (select from ${table} where next_try_at is not null limit ${mostCounted}) as waiting`)
  return rows[0]?.n ?? 0
}

/** What an installation has now, in reads that do not grow with the fleet. */
export const readInstallation = async (tx: Tx) => ({
  teasel_devices: await countDevices(tx),
  teasel_rollouts_under_way: await countRollouts(tx),
  teasel_outbox_depth: { mail: await countWaiting(tx, mails), webhook: await countWaiting(tx, webhookDeliveries) },
})
