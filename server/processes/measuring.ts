import type { Config, Host } from '../core/config'
import { openDatabase } from '../core/database/open'
import { ping } from '../core/database/ping'
import type { Measuring } from '../core/deps'
import type { Logger } from '../core/log'
import type { Reading } from '../core/metrics/metrics'
import { passTracesOn } from '../core/tracing/trace'
import { metricsPortOf, portError } from './ports'
import type { Close } from './until-signal'

type Opening = { config: Config; log: Logger; opened: Close[] }

/** At most so long, so that a scrape of a busy database ends before Prometheus gives it up. */
const statementTimeoutMs = 2000

const readingOf = async (host: Host, { config, opened }: Opening): Promise<Reading | undefined> => {
  if (host === 'console') return undefined
  // A connection of its own: a scrape does not wait for those of the requests, and reports how they are used.
  const onError = () => {}
  const { db, close } = openDatabase({ url: config.databaseUrl ?? '', connections: 1, statementTimeoutMs, onError })
  opened.push(close)
  if (host === 'api') return (await import('../overview/metrics/installation')).installationReading(db)
  return { gauges: {}, read: () => ping(db).then(() => ({})) }
}

const openMetrics = async (host: Host, opening: Opening): Promise<Pick<Measuring, 'metrics'>> => {
  const { config, log, opened } = opening
  const { metrics: asked } = config
  if (!asked) return {}
  const [{ createMetrics }, { serveMetrics }] = await Promise.all([
    import('../core/metrics/create-metrics'),
    import('../core/metrics/serve-metrics'),
  ])
  const metrics = createMetrics(host)
  const reading = await readingOf(host, opening)
  if (reading) metrics.watchDatabase(reading)
  const at = { port: asked.ports[host], bind: asked.bind }
  const stop = await serveMetrics(metrics, at, log).catch((error: NodeJS.ErrnoException) =>
    Promise.reject(portError(error, metricsPortOf(config, host))),
  )
  opened.push(stop)
  return { metrics }
}

const openTraces = async (host: Host, { config: { traces }, log, opened }: Opening): Promise<Pick<Measuring, 'spans'>> => {
  if (!traces) return {}
  const { openSpans } = await import('../core/tracing/export-spans')
  const spans = openSpans({ ...traces, service: `teasel-${host}`, log })
  opened.push(spans.close)
  return { spans }
}

/** Opens what is configured for operators. It closes last: a closing host can still be observed. */
export const openMeasuring = async (host: Host, opening: Opening): Promise<Measuring> => {
  passTracesOn()
  return { ...(await openMetrics(host, opening)), ...(await openTraces(host, opening)) }
}
