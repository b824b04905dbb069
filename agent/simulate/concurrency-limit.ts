export type ConcurrencyLimit = <T>(task: () => Promise<T>) => Promise<T>

/** Runs at most `limit` tasks at a time; the others wait in order. */
export const createConcurrencyLimit = (limit: number): ConcurrencyLimit => {
  let free = limit
  const waiting: (() => void)[] = []
  return async (task) => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}
