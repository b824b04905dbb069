import { type DeviceHit, searchLimit, searchProject } from '../../../contract/search'
import { allows } from '../../../contract/permissions'
import type { Tx } from '../../core/database/tx'
import type { Api } from '../../core/http/api'
import { route } from '../../core/http/route'
import { getProjectSettings } from '../../accounts/projects/plan-and-settings.repository'
import { listMatchingDevices, listMatchingReleases } from './repository'
import { deviceHitToJson, releaseHitToJson } from './to-json'

const findDeviceHits = async (tx: Tx, projectId: string, q: string, now: Date): Promise<DeviceHit[]> => {
  const { polling_interval_s: pollS } = await getProjectSettings(tx, projectId)
  const rows = await listMatchingDevices(tx, projectId, q)
  return rows.map((row) => deviceHitToJson(row, pollS, now))
}

export const searchRoutes = (api: Api): void => {
  route(api, searchProject, async ({ tx, project, query, grants, now }) => {
    const devices = allows(grants, ['device:view']) ? await findDeviceHits(tx, project.id, query.q, now) : []
    const releases = (await listMatchingReleases(tx, project.id, query.q)).map(releaseHitToJson)
    // Each kind gets at least half, and may use what the other leaves.
    const half = searchLimit / 2
    const room = {
      devices: searchLimit - Math.min(releases.length, half),
      releases: searchLimit - Math.min(devices.length, half),
    }
    return { hits: [...devices.slice(0, room.devices), ...releases.slice(0, room.releases)] }
  })
}
