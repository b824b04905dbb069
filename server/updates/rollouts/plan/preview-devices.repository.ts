import { and, eq, sql } from 'drizzle-orm'
import { containsText } from '../../../core/database/fold-case'
import type { Tx } from '../../../core/database/tx'
import { type ListQuery, type Paging, paging } from '../../../core/http/paging'
import { devices } from '../../../fleet/schema/devices'
import { targetedFleet, type TargetedFleet } from './members.repository'

export const pagingByName = (query: ListQuery): Paging => paging(query, { name: devices.name }, devices.id, 'name')

type Found = { ids: string | null; kinds: string | null }

/** The targeted devices by name, and for each the position of its kind in `kinds`. */
export const listTargetedDevices = async (
  tx: Tx,
  asked: TargetedFleet,
  kinds: readonly string[],
): Promise<{ ids: string[]; kinds: number[] }> => {
  const fleet = targetedFleet(tx, asked)
  const [found] = await tx
    .select({
      // Two texts instead of a row per device: splitting them takes milliseconds.
      ids: sql<Found['ids']>`string_agg(${devices.id}, ',' order by ${devices.name}, ${devices.id})`,
      kinds: sql<Found['kinds']>`string_agg((known.place - 1)::text, ',' order by ${devices.name}, ${devices.id})`,
    })
    .from(fleet)
    .innerJoin(devices, eq(devices.id, fleet.id))
    .innerJoin(
      sql`unnest(${sql.param([...kinds])}::text[]) with ordinality as known (value, place)`,
      sql`known.value = ${fleet.kind}`,
    )
  return { ids: found?.ids?.split(',') ?? [], kinds: found?.kinds?.split(',').map(Number) ?? [] }
}

/** The devices of a project whose name contains a text. */
export const listDevicesNamed = async (tx: Tx, projectId: string, text: string): Promise<Set<string>> => {
  const [found] = await tx
    .select({ ids: sql<string | null>`string_agg(${devices.id}, ',')` })
    .from(devices)
    .where(and(eq(devices.projectId, projectId), containsText(devices.name, text)))
  return new Set(found?.ids?.split(','))
}
