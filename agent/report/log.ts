import type { LogLine } from '../../contract/device/api'
import { type LogLevel, logLevels } from '../../contract/device/config-fields'
import type { Clock } from '../core/clock'
import { pauseAfter } from '../core/wait'
import type { DeviceApi } from '../api-client/device-api'
import { Refused } from '../api-client/http'
import type { Store } from '../state/store'

const block = 1000
const kept = 2000
const batch = 500
/** Well below the 1 MiB that the server accepts at once. */
const batchBytes = 512 * 1024

const nextBatch = (lines: readonly LogLine[]): LogLine[] => {
  let bytes = 0
  let count = 0
  for (const line of lines.slice(0, batch)) {
    bytes += Buffer.byteLength(JSON.stringify(line))
    if (count > 0 && bytes > batchBytes) break
    count++
  }
  return lines.slice(0, count)
}

type Settings = { level: LogLevel; upload: boolean; bootId: string }

/**
 * Lines go to stderr at once and to the server in batches. Sequence numbers are reserved in blocks on disk, so they rise across
 * restarts without a write for each line.
 */
export const logOf = (store: Store, clock: Clock, settings: Settings) => {
  let next = 0
  let reserved = 0
  let level = settings.level
  let quietUntil = 0
  let sending = false
  const lines: LogLine[] = []

  /** Null while the disk is full: a log line must not end the agent. Such a line is not sent to the server. */
  const reserveNumber = (): number | null => {
    if (next < reserved) return next++
    const { next_log } = store.state
    try {
      store.change({ next_log: next_log + block })
    } catch {
      return null
    }
    next = next_log
    reserved = next_log + block
    return next++
  }
  const wanted = (of: LogLevel) => logLevels.indexOf(of) <= logLevels.indexOf(level)
  const write =
    (of: LogLevel) =>
    (message: string, unit = 'teasel-agent') => {
      if (!wanted(of)) return
      const now = clock.now()
      process.stderr.write(`${new Date(now).toISOString()} ${of} ${unit}: ${message}\n`)
      if (!settings.upload) return
      const number = reserveNumber()
      if (number === null) return
      lines.push({
        sequence: number,
        ts_ms: now,
        level: of,
        unit,
        message: message.slice(0, 4096),
        boot_id: settings.bootId,
        pid: process.pid,
      })
      if (lines.length > kept) lines.splice(0, lines.length - kept)
    }

  return {
    err: write('err'),
    warning: write('warning'),
    notice: write('notice'),
    info: write('info'),
    debug: write('debug'),
    setLevel: (to: LogLevel) => void (level = to),
    /** Sends one batch of the waiting lines; false while the server has asked to wait. */
    flush: async (api: DeviceApi): Promise<boolean> => {
      if (sending || lines.length === 0 || Date.now() < quietUntil) return false
      sending = true
      const part = nextBatch(lines)
      let taken = part.length
      try {
        const { accepted, next_allowed_ms } = await api.logs(part)
        quietUntil = Date.now() + Math.min(Math.max(next_allowed_ms, 0), 60_000)
        // A server that asks to wait has stored only the first lines of the batch; it stores a repeated line once.
        if (next_allowed_ms > 0) taken = Math.min(accepted, part.length)
      } catch (error) {
        if (!(error instanceof Refused)) throw error
        if (![400, 413, 422].includes(error.status)) {
          quietUntil = Date.now() + pauseAfter(0, error.retryAfterMs)
          throw error
        }
      } finally {
        sending = false
      }
      const last = part[taken - 1]?.sequence
      if (last === undefined) return true
      lines.splice(
        0,
        lines.findIndex((line) => line.sequence > last) < 0 ? lines.length : lines.findIndex((line) => line.sequence > last),
      )
      return lines.length > 0
    },
  }
}
export type DeviceLog = ReturnType<typeof logOf>
