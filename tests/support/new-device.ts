import { ulid } from 'ulid'
import { newRow } from '../../server/core/database/row'
import { issueDeviceToken } from '../../server/fleet/devices/device-token.repository'
import { devices } from '../../server/fleet/schema/devices'
import type { TestApi } from './api'

/** A device with a token, inserted without an enrollment. */
export const newDevice = async (api: TestApi, projectId: string): Promise<{ id: string; token: string }> => {
  const now = api.deps.clock()
  const facts = { hardwareModel: 'gw', lifecycle: 'active' as const, enrollment: 'group' as const }
  const row = { ...newRow(now), id: ulid(), projectId, ...facts }
  await api.db.insert(devices).values({ ...row, name: row.id })
  return { id: row.id, token: await issueDeviceToken(api.db, { projectId, deviceId: row.id }, now) }
}
