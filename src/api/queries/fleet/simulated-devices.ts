import { queryOptions } from '@tanstack/react-query'
import { simulatedDevices } from '../../../../contract/fleet/simulated-devices'
import type { Api } from '../../client'
import { paces } from '../../refresh'

/** Refetched while devices start: later changes are in the list of devices. */
export const simulatedDevicesQuery = (api: Api, projectId: string) =>
  queryOptions({
    queryKey: ['simulated-devices', projectId],
    queryFn: ({ signal }) => api(simulatedDevices, { projectId }, { signal }),
    refetchInterval: ({ state }) => (state.data?.starting ? paces.log : false),
  })
