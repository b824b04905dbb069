import * as contract from '../../../contract/updates/device-updates'
import type { Api } from '../../core/http/api'
import { route } from '../../core/http/route'
import { getDevice } from '../../fleet/devices/repository'
import { listEvents } from './event-list'

export const deviceUpdateRoutes = (api: Api): void => {
  route(api, contract.deviceUpdateEvents, async ({ tx, params, query }) =>
    listEvents(tx, await getDevice(tx, params.deviceId), query),
  )
}
