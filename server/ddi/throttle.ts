import { setTimeout as pause } from 'node:timers/promises'

/** Bytes per second and streams at a time. Above them clients are slowed down: they take a refusal for a failed update. */
export type Rates = { deviceBytes: number; deviceStreams: number; projectBytes: number }

export const standardRates: Rates = { deviceBytes: 8 * 2 ** 20, deviceStreams: 4, projectBytes: 200 * 2 ** 20 }

type Bucket = { freeAt: number }
type Gate = { running: number; waiting: (() => void)[] }

/** A second of unused rate may be sent at once. */
const burstMs = 1000

/** The rates of one process. `now` in milliseconds, of a clock that does not jump. */
export const createThrottle = (rates: Rates, now: () => number = () => performance.now()) => {
  const buckets = new Map<string, Bucket>()
  const gates = new Map<string, Gate>()

  /** Milliseconds until the bytes may be sent. */
  const take = (key: string, bytes: number, perSecond: number): number => {
    const at = now()
    // Buckets without a debt are those of devices that download nothing.
    if (buckets.size > 10_000) for (const [other, { freeAt }] of buckets) if (freeAt < at - burstMs) buckets.delete(other)
    const bucket = buckets.get(key) ?? { freeAt: at - burstMs }
    bucket.freeAt = Math.max(bucket.freeAt, at - burstMs) + (bytes / perSecond) * 1000
    buckets.set(key, bucket)
    return bucket.freeAt - at
  }

  const enter = async (key: string): Promise<() => void> => {
    const gate = gates.get(key) ?? { running: 0, waiting: [] }
    gates.set(key, gate)
    if (gate.running >= rates.deviceStreams) await new Promise<void>((resolve) => gate.waiting.push(resolve))
    else gate.running++
    return () => {
      const next = gate.waiting.shift()
      if (next) return next()
      gate.running--
      if (gate.running === 0) gates.delete(key)
    }
  }

  return async function* slowed(
    bytes: AsyncIterable<Buffer>,
    { deviceId, projectId }: { deviceId: string; projectId: string },
  ): AsyncGenerator<Buffer> {
    const leave = await enter(deviceId)
    try {
      for await (const chunk of bytes) {
        const waitMs = Math.max(
          take(`device:${deviceId}`, chunk.length, rates.deviceBytes),
          take(`project:${projectId}`, chunk.length, rates.projectBytes),
        )
        if (waitMs > 0) await pause(waitMs)
        yield chunk
      }
    } finally {
      leave()
    }
  }
}
