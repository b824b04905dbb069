import { setTimeout as pause } from 'node:timers/promises'
import { Gauge, type Registry } from 'prom-client'
import type { Reading } from './metrics'

/** Prometheus waits 10 s for a scrape by default. */
const limitMs = 3000

/**
 * Returns the read before each scrape. While the database does not answer, `teasel_database_up` is 0 and the gauges that are read from it
 * are missing: an old value would look like a present one. Scrapes at the same time share a read, also one that hangs.
 */
export const watchDatabase = <Name extends string>(
  registers: Registry[],
  { gauges, read }: Reading<Name>,
): (() => Promise<void>) => {
  const up = new Gauge({
    name: 'teasel_database_up',
    help: 'Whether the database answered this scrape.',
    registers,
  })
  const made = (Object.entries(gauges) as [Name, (typeof gauges)[Name]][]).map(
    ([name, { help, label }]) => [name, label, new Gauge({ name, help, labelNames: [label], registers })] as const,
  )
  let reading: ReturnType<typeof read> | undefined
  const readOnce = () => (reading ??= read().finally(() => (reading = undefined)))

  return async () => {
    const over = new AbortController()
    const late = pause(limitMs, undefined, { ref: false, signal: over.signal }).catch(() => undefined)
    const found = await Promise.race([readOnce().catch(() => undefined), late])
    over.abort()
    up.set(found ? 1 : 0)
    for (const [name, label, gauge] of made) {
      gauge.reset()
      for (const [value, n] of Object.entries(found?.[name] ?? {})) gauge.set({ [label]: value }, n)
    }
  }
}
