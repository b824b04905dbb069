import { mutationOptions, type QueryClient } from '@tanstack/react-query'
import { type BulkChange, bulkChangeDevices, cancelDeviceJob, undoDeviceJob } from '../../../../contract/fleet/device-jobs'
import type { Api } from '../../client'
import { type Keyed, keyOf } from '../keyed'

const renew = (client: QueryClient, keys: readonly string[][]) =>
  Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })))

/** The answer is the id of the job. When it is refused because of the number of devices, the list shows them again. */
export const bulkChangeMutation = (api: Api, projectId: string) =>
  mutationOptions({
    mutationFn: (input: Keyed<BulkChange>) => api(bulkChangeDevices, { projectId }, { body: input.body, ...keyOf(input) }),
    onSettled: (_made, _failed, _input, _kept, { client }) =>
      renew(client, [
        ['device-jobs', projectId],
        ['devices', projectId],
      ]),
  })

export const cancelDeviceJobMutation = (api: Api) =>
  mutationOptions({
    mutationFn: (jobId: string) => api(cancelDeviceJob, { jobId }),
    onSettled: (_done, _failed, jobId, _kept, { client }) => renew(client, [['device-job', jobId], ['device-jobs']]),
  })

/** The answer is the id of the job that undoes it. */
export const undoDeviceJobMutation = (api: Api) =>
  mutationOptions({
    mutationFn: (jobId: string) => api(undoDeviceJob, { jobId }),
    onSettled: (_done, _failed, jobId, _kept, { client }) => renew(client, [['device-job', jobId], ['device-jobs']]),
  })
