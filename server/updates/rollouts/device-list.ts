import { and, count, eq, ilike, inArray } from 'drizzle-orm'
import type { QueryOf } from '../../../contract/endpoint'
import type { RolloutDevice, rolloutDevices as endpoint } from '../../../contract/rollouts'
import { devices } from '../../fleet/schema/devices'
import { rolloutDevices } from '../schema/rollouts'
import type { Tx } from '../../core/database/tx'
import { containing, paging, toldTotal } from '../../core/http/paging'
import { refuseField } from '../../core/http/refuse'
import { formatTimestamp } from '../../core/timestamps'
import { statesOf } from '../../fleet/devices/update-group'

type Query = NonNullable<QueryOf<typeof endpoint>>
type Row = { update: typeof rolloutDevices.$inferSelect; name: string }

const rolloutDeviceToJson = ({ update, name }: Row): RolloutDevice => ({
  device_id: update.deviceId,
  device_name: name,
  wave: update.wave,
  from_version: update.fromVersion,
  from_display_version: update.fromDisplayVersion,
  state: update.state,
  reason: update.stays ?? update.reason ?? update.errorText ?? update.errorCode,
  progress_percent: update.progress,
  attempt: update.attempt,
  since: formatTimestamp(update.since),
})

const groups = { succeeded: 'succeeded', failed: 'failed', running: 'in_progress', waiting: 'waiting' } as const

const waveNumber = (text: string) =>
  /^[1-9]\d?$/.test(text) ? Number(text) : refuseField('wave', 'type', 'Wave must be a whole number')

/** The devices of a rollout, by name. */
export const listDevices = async (tx: Tx, rolloutId: string, query: Query) => {
  const columns = { name: devices.name, since: rolloutDevices.since }
  const page = paging(query, columns, devices.id, 'name')
  const matching = and(
    eq(rolloutDevices.rolloutId, rolloutId),
    query.group && inArray(rolloutDevices.state, statesOf(groups[query.group])),
    query.wave === undefined ? undefined : eq(rolloutDevices.wave, waveNumber(query.wave)),
    query.q ? ilike(devices.name, containing(query.q)) : undefined,
  )
  const joined = () => eq(devices.id, rolloutDevices.deviceId)
  const rows = await tx
    .select({ update: rolloutDevices, name: devices.name })
    .from(rolloutDevices)
    .innerJoin(devices, joined())
    .where(and(matching, page.after))
    .orderBy(...page.order)
    .limit(page.take)
  const [total] = await tx.select({ n: count() }).from(rolloutDevices).innerJoin(devices, joined()).where(matching)
  const bySince = query.sort?.endsWith('since')
  const cut = page.cut(rows, ({ update, name }) => [bySince ? update.since.toISOString() : name, update.deviceId])
  return { devices: cut.rows.map(rolloutDeviceToJson), next_cursor: cut.next_cursor, total: toldTotal(total?.n ?? 0) }
}
