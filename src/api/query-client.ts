import { onlineManager, QueryClient } from '@tanstack/react-query'
import type { HandledBy } from './client'
import { failureOf } from './failure'

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /** Who handles a 401, 403 or 404 of this query instead of the page's boundary. */
      handledBy?: HandledBy
    }
  }
}

const minute = 60_000
const retries = 2
/** The statuses that ask to come back; longer than this is not waited for in silence. */
const comeBack: readonly number[] = [429, 503]
const longestWait = 30

/** §7, R2: without a status at most two more tries; with one none, unless it is in the list. A query may give its own: `retry: retryOn([…])`. */
export const retryOn =
  (codes: readonly number[] = comeBack) =>
  (failed: number, error: Error): boolean => {
    const failure = failureOf(error)
    if (!failure || failed >= retries) return false
    if (failure.status === 0) return true
    return codes.includes(failure.status) && (failure.retryAfterS ?? 1) <= longestWait
  }

/** Milliseconds before the next try: what the server said, else 1 s, 2 s, spread so that many tabs do not come at once. */
export const retryDelay = (failed: number, error: Error, random: () => number = Math.random): number =>
  (failureOf(error)?.retryAfterS ?? 2 ** failed) * 1000 * (1 + random() / 2)

/** A line that comes back comes back for everybody: up to two seconds apart. */
const reconnectSpread = 2000

const listen = (setOnline: (online: boolean) => void) => {
  let waiting: ReturnType<typeof setTimeout> | undefined
  const back = () => {
    clearTimeout(waiting)
    waiting = setTimeout(setOnline, Math.random() * reconnectSpread, true)
  }
  const gone = () => {
    clearTimeout(waiting)
    setOnline(false)
  }
  window.addEventListener('online', back)
  window.addEventListener('offline', gone)
  return () => {
    clearTimeout(waiting)
    window.removeEventListener('online', back)
    window.removeEventListener('offline', gone)
  }
}

/** §9: fresh for 5 minutes, kept for 10, no refetch on focus, refetch on reconnect. */
export const createQueryClient = (): QueryClient => {
  onlineManager.setEventListener(listen)
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5 * minute,
        gcTime: 10 * minute,
        refetchOnWindowFocus: false,
        refetchOnReconnect: true,
        // A call without a line fails and says so, rather than waiting in silence.
        networkMode: 'always',
        retry: retryOn(),
        retryDelay: (failed, error) => retryDelay(failed, error),
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  })
}
