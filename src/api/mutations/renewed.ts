import type { QueryClient, QueryKey } from '@tanstack/react-query'
import { failureOf } from '../failure'

/** Reloads a list after a change, and what expires, which the change may have renewed. */
export const renewed = (client: QueryClient, queryKey: QueryKey) =>
  Promise.all([client.invalidateQueries({ queryKey }), client.invalidateQueries({ queryKey: ['expirations'] })])

/** Reads an object again whose revision was stale: the next try is then about what it is now. */
export const rereadStale = (client: QueryClient, error: unknown, queryKey: QueryKey) =>
  failureOf(error)?.code === 'stale_revision' ? client.invalidateQueries({ queryKey, exact: true }) : undefined
