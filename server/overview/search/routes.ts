import { searchLimit, searchProject } from '../../../contract/search'
import { allows } from '../../../contract/permissions'
import type { Api } from '../../core/http/api'
import { route } from '../../core/http/route'
import { findDevices, findReleases } from './repository'

export const searchRoutes = (api: Api): void => {
  route(api, searchProject, async ({ tx, project, query, grants, now }) => {
    const devices = allows(grants, ['device:view']) ? await findDevices(tx, project.id, query.q, now) : []
    const releases = await findReleases(tx, project.id, query.q)
    // Each kind gets at least half, and may use what the other leaves.
    const half = searchLimit / 2
    const room = {
      devices: searchLimit - Math.min(releases.length, half),
      releases: searchLimit - Math.min(devices.length, half),
    }
    return { hits: [...devices.slice(0, room.devices), ...releases.slice(0, room.releases)] }
  })
}
