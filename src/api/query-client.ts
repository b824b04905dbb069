import { MutationCache, onlineManager, QueryClient } from '@tanstack/react-query'
import { leavesUnknown } from '../../contract/core/errors'
import type { HandledBy } from './client'
import { failureOf } from './failure'

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /** The chart that handles a 401, 403 or 404 of this query instead of the page's error boundary. */
      handledBy?: HandledBy
    }
  }
}

const minute = 60_000
const retries = 2
/** Statuses with Retry-After; longer waits are reported as an error. */
const comeBack: readonly number[] = [429, 503]
const longestWait = 30

/**
 * §7, R2: without a status at most two retries; with one none, unless it is in the list. A query may set its own: `retry:
 * retryOn([…])`.
 */
export const retryOn =
  (codes: readonly number[] = comeBack) =>
  (failed: number, error: Error): boolean => {
    const failure = failureOf(error)
    if (!failure || failed >= retries) return false
    if (failure.status === 0) return true
    return codes.includes(failure.status) && (failure.retryAfterS ?? 1) <= longestWait
  }

/**
 * Milliseconds before the next retry: the server's value, otherwise 1 s, 2 s, with jitter so that many tabs do not retry at
 * once.
 */
export const retryDelay = (failed: number, error: Error, random: () => number = Math.random): number =>
  (failureOf(error)?.retryAfterS ?? 2 ** failed) * 1000 * (1 + random() / 2)

/** When the network is back, the requests of many clients are spread over two seconds. */
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
  const client = new QueryClient({
    // A change whose answer was lost may have been made; one that is refused with 403, 404, 409, 410 or 412 shows that rights or
    // objects are not as they were read. Everything is read again.
    mutationCache: new MutationCache({
      onError: (error) => {
        const failure = failureOf(error)
        if (failure && (leavesUnknown(failure) || (failure.status > 402 && failure.status < 413))) void client.invalidateQueries()
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 5 * minute,
        gcTime: 10 * minute,
        refetchOnWindowFocus: false,
        refetchOnReconnect: true,
        // A call without a network fails with an error instead of waiting silently.
        networkMode: 'always',
        retry: retryOn(),
        retryDelay: (failed, error) => retryDelay(failed, error),
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  })
  return client
}
