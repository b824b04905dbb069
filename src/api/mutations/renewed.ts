import type { QueryClient, QueryKey } from '@tanstack/react-query'

/** Reloads a list after a change, and what expires, which the change may have renewed. */
export const renewed = (client: QueryClient, queryKey: QueryKey) =>
  Promise.all([client.invalidateQueries({ queryKey }), client.invalidateQueries({ queryKey: ['expirations'] })])
