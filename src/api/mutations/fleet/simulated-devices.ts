import { mutationOptions } from '@tanstack/react-query'
import { addSimulatedDevices } from '../../../../contract/fleet/simulated-devices'
import type { Api } from '../../client'
import { simulatedDevicesQuery } from '../../queries/fleet/simulated-devices'

export const addSimulatedDevicesMutation = (api: Api, projectId: string) =>
  mutationOptions({
    mutationFn: () => api(addSimulatedDevices, { projectId }),
    onSuccess: (answer, _none, _kept, { client }) => client.setQueryData(simulatedDevicesQuery(api, projectId).queryKey, answer),
  })
