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

/** Exponential delays with full jitter, so that a fleet does not return all at once. */
export const backoff = (attempt: number, firstMs: number, maxMs: number): number =>
  Math.min(maxMs, firstMs * 2 ** Math.min(attempt, 20)) * (0.5 + Math.random() / 2)

/** Limits of the seconds between two polls: no answer of a server makes a device poll more often or wait longer. */
export type Bounds = { leastS: number; mostS: number }
export const pollBounds: Bounds = { leastS: 30, mostS: 604_800 }

export const clampSeconds = (seconds: number, { leastS, mostS }: Bounds): number => Math.min(Math.max(seconds, leastS), mostS)

/**
 * The larger of the agent's own delay and the one requested by the server. The latter is extended by up to half of it: devices
 * that are refused in the same second must not return in the same second.
 */
export const pauseAfter = (ownMs: number, askedMs: number | null): number =>
  Math.max(ownMs, (askedMs ?? 0) * (1 + Math.random() / 2))
