import { readFileSync } from 'node:fs'
import { cpus, freemem, loadavg, totalmem, uptime } from 'node:os'
import type { MetricPoint } from '../../contract/device/api'
import { spaceOf } from '../core/files'

type Reading = { name: string; unit: string; value: number }

const text = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

const cpuTimes = () => {
  const all = cpus().map(({ times }) => times)
  const idle = all.reduce((sum, times) => sum + times.idle, 0)
  return { idle, total: all.reduce((sum, { user, nice, sys, idle: still, irq }) => sum + user + nice + sys + still + irq, 0) }
}

/** Memory that the kernel could free, which `freemem` does not know in containers of older kernels. */
const availableMemory = () => {
  const kilobytes = /^MemAvailable:\s+(\d+) kB$/m.exec(text('/proc/meminfo') ?? '')?.[1]
  return kilobytes === undefined ? freemem() : Number(kilobytes) * 1024
}

const temperature = (): Reading[] => {
  const milli = Number(text('/sys/class/thermal/thermal_zone0/temp') ?? Number.NaN)
  return Number.isFinite(milli) ? [{ name: 'cpu.temperature_celsius', unit: 'Cel', value: milli / 1000 }] : []
}

const network = (): Reading[] =>
  (text('/proc/net/dev') ?? '').split('\n').flatMap((line) => {
    const [, name, rest] = /^\s*([a-z][a-z0-9_]{0,30}):(.+)$/.exec(line) ?? []
    if (name === undefined || rest === undefined || name === 'lo') return []
    const columns = rest.trim().split(/\s+/).map(Number)
    return [
      { name: `net.${name}.rx_bytes_total`, unit: 'By', value: columns[0] ?? 0 },
      { name: `net.${name}.tx_bytes_total`, unit: 'By', value: columns[8] ?? 0 },
    ]
  })

const storage = (directory: string): Reading[] => {
  const space = spaceOf(directory)
  if (!space) return []
  const { bavail, blocks, bfree, bsize } = space
  return [
    { name: 'storage.used_percent', unit: '%', value: blocks === 0 ? 0 : (100 * (blocks - bfree)) / blocks },
    { name: 'storage.available_bytes', unit: 'By', value: bavail * bsize },
  ]
}

const rounded = (value: number) => Math.round(value * 100) / 100

/** Reads the metrics of this machine; processor use is measured since the previous call. */
export const createMetricsReader = (directory: string): ((now: number) => MetricPoint[]) => {
  let before = cpuTimes()
  const cpu = () => {
    const now = cpuTimes()
    const total = now.total - before.total
    const busy = total <= 0 ? 0 : (100 * (total - (now.idle - before.idle))) / total
    before = now
    return busy
  }
  return (now) => {
    const [one = 0, five = 0, fifteen = 0] = loadavg()
    const used = totalmem() - availableMemory()
    const readings: Reading[] = [
      { name: 'cpu.usage_percent', unit: '%', value: cpu() },
      ...temperature(),
      { name: 'load.1m', unit: '1', value: one },
      { name: 'load.5m', unit: '1', value: five },
      { name: 'load.15m', unit: '1', value: fifteen },
      { name: 'memory.used_bytes', unit: 'By', value: used },
      { name: 'memory.total_bytes', unit: 'By', value: totalmem() },
      { name: 'memory.used_percent', unit: '%', value: (100 * used) / totalmem() },
      ...storage(directory),
      ...network(),
      { name: 'system.uptime_s', unit: 's', value: uptime() },
    ]
    return readings.map((reading) => ({ ...reading, value: rounded(reading.value), ts_ms: now }))
  }
}
