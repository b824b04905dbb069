import { infiniteQueryOptions } from '@tanstack/react-query'
import { expirations } from '../../../../contract/overview/expirations'
import type { Api } from '../../client'

/** A project, or an organization with its projects. */
export type ExpirationScope = { project_id: string } | { organization_id: string }

export const expirationsQuery = (api: Api, scope: ExpirationScope) =>
  infiniteQueryOptions({
    queryKey: ['expirations', scope],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api(expirations, {}, { query: { ...scope, limit: 20, ...(pageParam !== undefined && { cursor: pageParam }) }, signal }),
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  })
