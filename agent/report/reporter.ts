import type { MetricPoint } from '../../contract/device/api'
import { pauseAfter } from '../core/wait'
import type { Device } from '../device'
import { Refused } from '../api-client/http'
import { createMetricsReader } from './metrics'

const logIntervalMs = 5_000
const maxQueuedPoints = 2000

/** Sends metrics and logs at their own intervals, independent of the main loop: no error here stops an update. Of unsent metrics the newest 2000 are kept. */
export const startReporter = (device: Device): { stop: () => void; flush: () => Promise<void> } => {
  const { api, clock, config, log } = device
  const readMetrics = createMetricsReader(config.persistent_directory)
  let points: MetricPoint[] = []
  let nextSendAtMs = 0

  const sendMetrics = async () => {
    if (points.length === 0 || !device.identity() || Date.now() < nextSendAtMs) return
    const batch = points
    points = []
    await api.metrics(batch).catch((error: unknown) => {
      points = [...batch, ...points].slice(-maxQueuedPoints)
      if (error instanceof Refused) nextSendAtMs = Date.now() + pauseAfter(0, error.retryAfterMs)
    })
  }
  const sendLogs = async () => {
    if (device.identity()) await log.flush(api).catch(() => false)
  }
  const measure = () => {
    points = [...points, ...readMetrics(clock.now())].slice(-maxQueuedPoints)
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
