import { queryOptions } from '@tanstack/react-query'
import { accountDeletion, exportAccount } from '../../../../contract/accounts/account-deletion'
import type { Api } from '../../client'

export const accountDeletionQuery = (api: Api) =>
  queryOptions({ queryKey: ['self', 'deletion'], queryFn: ({ signal }) => api(accountDeletion, {}, { signal }) })

/** What is stored about the person, as a file. */
export const accountExport = async (api: Api): Promise<Blob> =>
  new Blob([(await api(exportAccount)) as ArrayBuffer], { type: 'application/json' }) // a binary answer is one ArrayBuffer
