import * as contract from '../../contract/monitor'
import type { Api } from '../core/http/api'
import { route } from '../core/http/route'
import { readOverview } from './overview'

export const overviewRoutes = (api: Api): void => {
  route(api, contract.overview, ({ tx, project, grants, now }) => readOverview({ tx, project, grants, now }))
}
