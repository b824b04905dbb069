const keptForMs = 15_000
const most = 10_000

/**
 * Answers of this process by key, for 15 s: a client that streams asks for thousands of ranges of one file. Failures are not
 * kept.
 */
export const createShortMemory = <T>(isKept: (value: T) => boolean = () => true) => {
  const kept = new Map<string, { until: number; value: Promise<T> }>()
  return (key: string, find: () => Promise<T>): Promise<T> => {
    const now = performance.now()
    const known = kept.get(key)
    if (known && known.until > now) return known.value
    const value = find()
    value.then(
      (found) => isKept(found) || kept.delete(key),
      () => kept.delete(key),
    )
    if (kept.size >= most) kept.clear()
    kept.set(key, { until: now + keptForMs, value })
    return value
  }
}
