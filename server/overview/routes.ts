import * as modelCounts from '../../contract/fleet/model-counts'
import * as contract from '../../contract/overview/monitor'
import type { Api } from '../core/http/api'
import { route } from '../core/http/route'
import { readModelCounts } from './model-counts'
import { readOverview } from './overview'

export const overviewRoutes = (api: Api): void => {
  route(api, contract.overview, ({ tx, project, grants, now }) => readOverview({ tx, project, grants, now }))
  route(api, modelCounts.modelCounts, async ({ tx, project }) => ({
    hardware_models: await readModelCounts(tx, project.id, project.settings.hardware_models),
  }))
}
