import { queryOptions } from '@tanstack/react-query'
import { clientBinaries } from '../../../../contract/fleet/client-binaries'
import type { Api } from '../../client'

export const clientBinariesQuery = (api: Api) =>
  queryOptions({
    queryKey: ['client-binaries'],
    queryFn: async ({ signal }) => (await api(clientBinaries, {}, { signal })).client_binaries,
  })
