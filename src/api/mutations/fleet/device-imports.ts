import { mutationOptions, type QueryClient } from '@tanstack/react-query'
import { importDevices, undoDeviceImport } from '../../../../contract/fleet/device-imports'
import type { QueryOf } from '../../../../contract/core/endpoint'
import type { Api } from '../../client'

type Import = { rows: Blob; query: NonNullable<QueryOf<typeof importDevices>>; signal?: AbortSignal }

const renew = (client: QueryClient, projectId: string) =>
  Promise.all(
    [
      ['device-imports', projectId],
      ['devices', projectId],
      ['overview', projectId],
    ].map((queryKey) => client.invalidateQueries({ queryKey })),
  )

/** Ended by its signal, the import may still have come to its end: what it changes is requested again in any case. */
export const importDevicesMutation = (api: Api, projectId: string) =>
  mutationOptions({
    mutationFn: ({ rows, query, signal }: Import) => api(importDevices, { projectId }, { rows, query, signal }),
    onSettled: (_result, _error, { query }, _kept, { client }) => (query.dry_run ? undefined : renew(client, projectId)),
  })

export const undoDeviceImportMutation = (api: Api, projectId: string) =>
  mutationOptions({
    mutationFn: (deviceImportId: string) => api(undoDeviceImport, { projectId, deviceImportId }),
    onSuccess: (_done, _id, _kept, { client }) => renew(client, projectId),
  })
