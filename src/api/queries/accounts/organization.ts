import { queryOptions } from '@tanstack/react-query'
import { organization } from '../../../../contract/accounts/organization'
import type { Api } from '../../client'

export const organizationQuery = (api: Api, organizationId: string) =>
  queryOptions({
    queryKey: ['organization', organizationId],
    queryFn: ({ signal }) => api(organization, { organizationId }, { signal }),
  })
