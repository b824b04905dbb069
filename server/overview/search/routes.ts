import { type DeviceHit, type FoundHit, searchEverywhere, searchLimit, searchProject } from '../../../contract/overview/search'
import { allows, type Permission } from '../../../contract/core/permissions'
import type { Api } from '../../core/http/api'
import { route } from '../../core/http/route'
import type { ProjectRead } from '../../core/http/scope'
import { findSeen, type SeenProject } from '../visible'
import { listMatchingDevices, listMatchingDevicesIn, listMatchingReleases } from './repository'
import { deviceHitToJson, foundProjectToJson, projectHitToJson, releaseHitToJson } from './to-json'
import { contactPollS } from '../../accounts/projects/settings'

const findDeviceHits = async ({ tx, project, now }: ProjectRead, q: string): Promise<DeviceHit[]> => {
  const rows = await listMatchingDevices(tx, project.id, q)
  return rows.map((row) => deviceHitToJson(row, contactPollS(project.settings, now), now))
}

/** As many of each kind as its equal share of the results, and what the others leave. */
const share = <T>(kinds: readonly (readonly T[])[]): T[] => {
  const room = kinds.map(() => 0)
  for (let left = searchLimit, before = -1; left > 0 && left !== before;) {
    before = left
    for (const [at, kind] of kinds.entries()) {
      if (left === 0 || (room[at] ?? 0) >= kind.length) continue
      room[at] = (room[at] ?? 0) + 1
      left -= 1
    }
  }
  return kinds.flatMap((kind, at) => kind.slice(0, room[at]))
}

/** Projects whose name contains `q`; those that begin with it first. */
const matching = (projects: readonly SeenProject[], q: string): SeenProject[] => {
  const at = ({ name }: SeenProject) => name.toLowerCase().indexOf(q.toLowerCase())
  return projects.filter((one) => at(one) >= 0).toSorted((a, b) => Number(at(a) > 0) - Number(at(b) > 0))
}

export const searchRoutes = (api: Api): void => {
  route(api, searchProject, async ({ tx, project, query, grants, now }) => {
    const devices = allows(grants, ['device:view']) ? await findDeviceHits({ tx, project, now }, query.q) : []
    const releases = (await listMatchingReleases(tx, [project.id], query.q)).map(releaseHitToJson)
    return { hits: share<DeviceHit | (typeof releases)[number]>([devices, releases]) }
  })

  route(api, searchEverywhere, async ({ tx, user, query, now }) => {
    const { projects } = await findSeen(api, tx, user, {})
    const seen = new Map(projects.filter(({ id }) => id !== query.except_project_id).map((one) => [one.id, one]))
    const where = (needs: Permission) => [...seen.values()].filter(({ grants }) => allows(grants, [needs])).map(({ id }) => id)
    const inProject = (id: string, hit: (project: SeenProject) => FoundHit['hit']): FoundHit[] => {
      const project = seen.get(id)
      return project ? [{ project: foundProjectToJson(project), hit: hit(project) }] : []
    }
    const viewed = where('project:view')
    const devices = await listMatchingDevicesIn(tx, where('device:view'), query.q)
    const releases = await listMatchingReleases(tx, viewed, query.q)
    const named = matching(
      viewed.flatMap((id) => seen.get(id) ?? []),
      query.q,
    )
    return {
      hits: share([
        named.flatMap(({ id }) => inProject(id, projectHitToJson)),
        devices.flatMap((row) =>
          inProject(row.projectId, ({ settings }) => deviceHitToJson(row, contactPollS(settings, now), now)),
        ),
        releases.flatMap((row) => inProject(row.projectId, () => releaseHitToJson(row))),
      ]),
    }
  })
}
