import type { Query, QueryClient } from '@tanstack/react-query'
import { chosenInterval } from '../../api/refresh'

const intervalMs = 1000

/** Not of a project, read by a tail of its own, or measured at intervals. */
const others: readonly unknown[] = ['self', 'system-logs', 'metrics']

// A form keeps the revision that it began with: only what refreshes by itself is refreshed.
const isFollowed = (query: Query) =>
  query.isActive() &&
  !query.queryKey.some((part) => others.includes(part)) &&
  query.observers.some(({ options: { refetchInterval: interval } }) => {
    const ms = typeof interval === 'function' ? interval(query) : interval
    return ms !== undefined && ms !== false
  })

/** Refetches the open lists after changes, each at most once a second. */
export const createFollowedLists = (queryClient: QueryClient) => {
  const due = new Set<Query>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const refetch = () => {
    timer = undefined
    for (const query of due) {
      // An answer under way may be older than the change: this query follows it.
      if (query.state.fetchStatus !== 'idle') continue
      due.delete(query)
      if (query.isActive()) void queryClient.refetchQueries({ queryKey: query.queryKey, exact: true })
    }
    // Also without anything due, so that the next change waits.
    timer = setTimeout(next, intervalMs)
  }
  const next = () => {
    timer = undefined
    if (due.size > 0) refetch()
  }
  return {
    changed: () => {
      // With an interval of their choice people see changes at that interval.
      if (chosenInterval() !== undefined) return
      for (const query of queryClient.getQueryCache().getAll()) if (isFollowed(query)) due.add(query)
      if (timer === undefined) refetch()
    },
    stop: () => {
      clearTimeout(timer)
      due.clear()
    },
  }
}
