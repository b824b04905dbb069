/** Resolves after the time, or at once when the signal fires; never rejects. */
export const wait = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
  })

/** Growing delays with full jitter, so that a fleet does not come back all at once. */
export const backoff = (attempt: number, firstMs: number, maxMs: number): number =>
  Math.min(maxMs, firstMs * 2 ** Math.min(attempt, 20)) * (0.5 + Math.random() / 2)

/** Seconds between two polls: no answer of a server makes a device ask more often than the one or sleep longer than the other. */
export type Bounds = { leastS: number; mostS: number }
export const pollBounds: Bounds = { leastS: 30, mostS: 604_800 }

export const clampSeconds = (seconds: number, { leastS, mostS }: Bounds): number => Math.min(Math.max(seconds, leastS), mostS)

/**
 * The larger of our own growing delay and what the server asked for. The latter is spread by up to half of it, later only:
 * devices that are refused in the same second must not come back in the same second.
 */
export const pauseAfter = (ownMs: number, askedMs: number | null): number =>
  Math.max(ownMs, (askedMs ?? 0) * (1 + Math.random() / 2))
