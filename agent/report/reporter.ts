import type { MetricPoint } from '../../contract/device/api'
import { pauseAfter } from '../core/wait'
import type { Device } from '../device'
import { Refused } from '../server/http'
import { metricsOf } from './metrics'

const logIntervalMs = 5_000
const keptPoints = 2000

/** Sends metrics and logs beside the main loop. Unsent data waits, up to a limit; no error here stops an update. */
export const startReporter = (device: Device): { stop: () => void; flush: () => Promise<void> } => {
  const { api, clock, config, log } = device
  const read = metricsOf(config.persistent_directory)
  let points: MetricPoint[] = []
  let quietUntil = 0

  const sendMetrics = async () => {
    if (points.length === 0 || !device.identity() || Date.now() < quietUntil) return
    const batch = points
    points = []
    await api.metrics(batch).catch((error: unknown) => {
      points = [...batch, ...points].slice(-keptPoints)
      if (error instanceof Refused) quietUntil = Date.now() + pauseAfter(0, error.retryAfterMs)
    })
  }
  const sendLogs = async () => {
    if (device.identity()) await log.flush(api).catch(() => false)
  }
  const measure = () => {
    points = [...points, ...read(clock.now())].slice(-keptPoints)
    void sendMetrics()
  }
  measure()
  const timers = [setInterval(measure, config.metrics_interval_s * 1000), setInterval(() => void sendLogs(), logIntervalMs)]
  return {
    stop: () => timers.forEach((timer) => clearInterval(timer)),
    flush: async () => {
      await sendMetrics()
      for (let more = true; more;) more = await log.flush(api).catch(() => false)
    },
  }
}
