import * as contract from '../../../../contract/updates/components'
import { compareComponents } from '../../../../contract/updates/release-comparison'
import type { Api } from '../../../core/http/api'
import { notFound } from '../../../core/http/refuse'
import { route } from '../../../core/http/route'
import { countValues } from '../../../fleet/counts/repository'
import { findReleaseOfProject, findReleases } from '../repository'
import { listAllComponents, listComponents, listSboms, searchComponents } from './repository'
import { componentToJson, foundComponentToJson, sbomToJson } from './to-json'

export const componentRoutes = (api: Api): void => {
  route(api, contract.releaseSboms, async ({ tx, params }) => ({
    sboms: (await listSboms(tx, params.releaseId)).map(sbomToJson),
  }))

  route(api, contract.releaseComponents, async ({ tx, params, query }) => {
    const { rows, next_cursor, total } = await listComponents(tx, params.releaseId, query)
    return { components: rows.map(componentToJson), next_cursor, total }
  })

  route(api, contract.componentDifferences, async ({ tx, params, query }) => {
    const [release] = await findReleases(tx, [params.releaseId])
    const before = release && (await findReleaseOfProject(tx, release.projectId, query.before))
    if (!before) return notFound()
    const [old, fresh] = [await listAllComponents(tx, before.id), await listAllComponents(tx, release.id)]
    const differences = compareComponents(old, fresh)
    const count = (change: contract.ComponentDifference['change']) => differences.filter((one) => one.change === change).length
    return {
      total: { before: old.length, after: fresh.length },
      counts: { added: count('added'), removed: count('removed'), changed: count('changed') },
      differences: differences.slice(0, contract.maxComponentDifferences),
    }
  })

  route(api, contract.findComponents, async ({ tx, project, query }) => {
    const { rows, next_cursor, total } = await searchComponents(tx, project.id, query)
    const running = await countValues(tx, project.id, 'release')
    const components = rows.map((found) => foundComponentToJson(found, running.get(found.release.id) ?? 0))
    return { components, next_cursor, total }
  })
}
