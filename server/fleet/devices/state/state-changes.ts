import { type DeviceRef, sumTypeOf } from '../../../../contract/accounts/events'
import type { Deps } from '../../../core/deps'
import { emitEvents, type NewEvent } from '../../../core/events/emit'
import { formatTimestampOrNull } from '../../../core/timestamps'
import { type DueChange, takeStateChanges } from './state-changes.repository'

const refOf = ({ id, name, serialNumber }: DueChange): DeviceRef => ({ id, name, serial_number: serialNumber })

const eventOf = (change: DueChange): NewEvent => {
  const { projectId, lastSeenAt } = change
  const device = refOf(change)
  if (change.type === 'device.health_changed')
    return { projectId, type: change.type, data: { device, before: change.was, health: change.state } }
  const last_seen_at = formatTimestampOrNull(lastSeenAt === null ? null : new Date(lastSeenAt))
  return { projectId, type: change.type, data: { device, before: change.was, last_seen_at } }
}

const sumsOf = (extra: readonly DueChange[]): NewEvent[] =>
  extra.flatMap((first, place) => {
    const { projectId, type, n } = first
    const isSame = (other: DueChange) => other.projectId === projectId && other.type === type
    if (extra.findIndex(isSame) !== place) return []
    return [{ projectId, type: sumTypeOf(type), data: { count: n, sample: extra.filter(isSame).map(refOf) } }]
  })

/** Emits the events of changes of connectivity and health that two polls have confirmed. */
export const announceStateChanges = ({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<void> =>
  db.transaction(async (tx) => {
    const now = clock()
    const changes = await takeStateChanges(tx, now)
    const single = changes.filter(({ extra }) => !extra)
    await emitEvents(tx, [...single.map(eventOf), ...sumsOf(changes.filter(({ extra }) => extra))], now)
  })
