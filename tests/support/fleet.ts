import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import type { DeviceEvent } from '../../contract/device/api'
import { getProjectSettings } from '../../server/accounts/projects/plan-and-settings.repository'
import { devices } from '../../server/fleet/schema/devices'
import type { Tx } from '../../server/core/database/tx'
import { newRow } from '../../server/core/database/row'
import { type Offer, offerFor } from '../../server/updates/rollouts/offer/offer'
import { storeEvents } from '../../server/updates/device-updates/store-events'
import type { TestApi } from './api'

type New = { count: number; version?: number; releaseId?: string | null; trustedKeys: string[]; models?: string[] }
type Said = Pick<DeviceEvent, 'type'> & Partial<DeviceEvent>

/** Devices without a network: they call the functions behind the device API directly. */
export const fleet = ({ db, deps }: TestApi, projectId: string) => {
  const sequences = new Map<string, number>()

  const add = async ({ count, version = 1, releaseId = null, trustedKeys, models = ['gw'] }: New): Promise<string[]> => {
    const rows = Array.from({ length: count }, (_, n) => ({
      ...newRow(deps.clock()),
      projectId,
      name: `device ${sequences.size + n}`,
      hardwareModel: models[n % models.length] ?? 'gw',
      lifecycle: 'active' as const,
      enrollment: 'group' as const,
      installedVersion: version,
      installedReleaseId: releaseId,
      trustedKeys,
      pollingIntervalS: 60,
    }))
    await db.insert(devices).values(rows)
    for (const { id } of rows) sequences.set(id, 0)
    return rows.map(({ id }) => id)
  }

  const rowOf = async (tx: Tx, id: string) => {
    const [row] = await tx.select().from(devices).where(eq(devices.id, id)).for('update')
    if (!row) throw new Error(`no device ${id}`)
    return row
  }

  const ask = (id: string): Promise<Offer> => db.transaction(async (tx) => offerFor(tx, await rowOf(tx, id), deps.clock()))

  const report = (id: string, rolloutId: string, ...said: Said[]) =>
    db.transaction(async (tx) => {
      const row = await rowOf(tx, id)
      const events = said.map((one): DeviceEvent => {
        const sequence = (sequences.get(id) ?? 0) + 1
        sequences.set(id, sequence)
        const facts = { event_id: randomUUID(), sequence, rollout_id: rolloutId, release_id: null, version: null }
        return { ...facts, ts_ms: deps.clock().getTime(), ...one }
      })
      return storeEvents(tx, row, await getProjectSettings(tx, projectId), events, deps.clock())
    })

  /** Reports an update from the offer to the end: a success, or a failure. */
  const install = (id: string, rolloutId: string, failure?: DeviceEvent['reason_code']) =>
    failure === undefined
      ? report(id, rolloutId, { type: 'update_accepted' }, { type: 'download_completed' }, { type: 'update_confirmed' })
      : report(id, rolloutId, { type: 'update_accepted' }, { type: 'update_failed', reason_code: failure })

  return { add, ask, report, install }
}
