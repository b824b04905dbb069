import { and, count, eq, ilike, sql } from 'drizzle-orm'
import type { Tx } from '../../core/database/tx'
import { containing, limitTotal, type ListQuery, paging } from '../../core/http/paging'
import { devices } from '../../fleet/schema/devices'
import { targetedFleet, type TargetedFleet } from './members.repository'

/** `kinds`: only devices of these; `ids`: only these, if given. */
type Chosen = { kinds: readonly string[]; ids: readonly string[] | undefined }

/** One page of the targeted devices of some kinds, by name. */
export const listTargetedDevices = async (tx: Tx, asked: TargetedFleet, { kinds, ids }: Chosen, query: ListQuery) => {
  const fleet = targetedFleet(tx, asked)
  const page = paging(query, { name: devices.name }, devices.id, 'name')
  const matching = and(
    sql`${fleet.kind} = any(${sql.param([...kinds])}::text[])`,
    // One text instead of an array: a wave can have tens of thousands of devices.
    ids && sql`${devices.id} = any(string_to_array(${ids.join(',')}, ','))`,
    query.q ? ilike(devices.name, containing(query.q)) : undefined,
  )
  const found = await tx
    .select({ device: devices })
    .from(fleet)
    .innerJoin(devices, eq(devices.id, fleet.id))
    .where(and(matching, page.after))
    .orderBy(...page.order)
    .limit(page.take)
  const [total] = await tx.select({ n: count() }).from(fleet).innerJoin(devices, eq(devices.id, fleet.id)).where(matching)
  const cut = page.cut(found, ({ device }) => [device.name, device.id])
  return { rows: cut.rows.map(({ device }) => device), next_cursor: cut.next_cursor, total: limitTotal(total?.n ?? 0) }
}
