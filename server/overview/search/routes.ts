import { type DeviceHit, searchLimit, searchProject } from '../../../contract/search'
import { allows } from '../../../contract/permissions'
import type { Api } from '../../core/http/api'
import { route } from '../../core/http/route'
import type { ProjectRead } from '../../core/http/scope'
import { listMatchingDevices, listMatchingReleases } from './repository'
import { deviceHitToJson, releaseHitToJson } from './to-json'

const findDeviceHits = async ({ tx, project, now }: ProjectRead, q: string): Promise<DeviceHit[]> => {
  const rows = await listMatchingDevices(tx, project.id, q)
  return rows.map((row) => deviceHitToJson(row, project.settings.polling_interval_s, now))
}

export const searchRoutes = (api: Api): void => {
  route(api, searchProject, async ({ tx, project, query, grants, now }) => {
    const devices = allows(grants, ['device:view']) ? await findDeviceHits({ tx, project, now }, query.q) : []
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
