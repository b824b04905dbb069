import type { DeviceClass } from './classes'
import type { Random } from './random'

type Reading = { name: string; unit: string; value: number }
/** A metric shows the first three; the others only the log. */
export type Incident = 'out_of_memory' | 'thermal_throttle' | 'disk_full' | 'under_voltage' | 'storage_failure' | 'wrong_clock'
export type Sample = { readings: Reading[]; incidents: Incident[] }

const day = 86_400_000
const rounded = (value: number) => Math.round(value * 100) / 100
const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value))

/** Correlated noise: AR(1) with φ = 0.9. */
const noise = (random: Random, size: number) => {
  let value = 0
  return () => (value = 0.9 * value + random.normal() * size * 0.44)
}

/**
 * The simulated values of one device: a daily wave with its peak at 15 h local time, noise, slow leaks and fills, counters that
 * restart at each boot. Call it with rising times.
 */
export const signalsOf = (kind: DeviceClass, random: Random, startMs: number) => {
  const own = {
    temperature: random.normal() * 2.5,
    cpu: random.normal() * 4,
    memory: random.normal() * 5,
    disk: random.between(-8, 8),
  }
  const leaks = random.chance(1 / 30)
  const waves = { temperature: noise(random, 1), cpu: noise(random, 5), memory: noise(random, 1.2), rssi: noise(random, 4) }
  let bootedMs = startMs - random.between(0.1, 12) * day
  let lastMs = startMs
  let received = 0
  let sent = 0
  let leaked = 0
  let extraCpu = 0
  let boots = random.whole(3, 60)
  let battery = random.between(62, 98)
  let scripted: Incident | null = null

  const at = (nowMs: number): Sample => {
    const seconds = Math.max(0, nowMs - lastMs) / 1000
    lastMs = nowMs
    const hour = ((nowMs / 3_600_000 - new Date(nowMs).getTimezoneOffset() / 60) % 24) + 24
    const wave = Math.cos((2 * Math.PI * (hour - 15)) / 24)
    const shift = hour % 24 >= 6 && hour % 24 < 22 ? 1 : 0.45
    const cpu = clamp((kind.cpu + own.cpu) * shift + extraCpu + waves.cpu(), 1, 100)
    if (leaks) leaked += (seconds / 86_400) * 6
    const isScripted = (incident: Incident) => scripted === incident
    const atLeast = (incident: Incident, least: number, value: number) => (isScripted(incident) ? Math.max(least, value) : value)
    const memory = atLeast('out_of_memory', 98, clamp(kind.memoryPercent + own.memory + leaked + waves.memory(), 4, 100))
    const usedDisk = clamp(kind.diskPercent + own.disk + ((nowMs - startMs) / day) * (kind.id === 'camera' ? 0.5 : 0.05), 2, 100)
    const disk = atLeast('disk_full', 98, usedDisk)
    const warmth = kind.temperature + own.temperature + 6 * wave + (cpu - kind.cpu) * 0.12 + waves.temperature()
    const temperature = atLeast('thermal_throttle', 88, warmth)
    received += seconds * kind.cpu * random.between(300, 900)
    sent += seconds * kind.cpu * random.between(120, 500)
    if (kind.battery) battery = battery <= 15 ? 100 : battery - seconds / 21_600
    const incidents: Incident[] = []
    if (memory > 97) incidents.push('out_of_memory')
    if (temperature > 85) incidents.push('thermal_throttle')
    if (disk > 97) incidents.push('disk_full')
    for (const other of ['under_voltage', 'storage_failure', 'wrong_clock'] as const) if (isScripted(other)) incidents.push(other)
    scripted = null
    const link = kind.link.interface
    const readings: Reading[] = [
      { name: 'cpu.usage_percent', unit: '%', value: temperature > 85 ? Math.min(cpu, 60) : cpu },
      { name: 'cpu.temperature_celsius', unit: 'Cel', value: temperature },
      { name: 'load.1m', unit: '1', value: (cpu / 100) * 2.2 },
      { name: 'memory.used_bytes', unit: 'By', value: Math.round((memory / 100) * kind.memoryBytes) },
      { name: 'memory.total_bytes', unit: 'By', value: kind.memoryBytes },
      { name: 'memory.used_percent', unit: '%', value: memory },
      { name: 'storage.used_percent', unit: '%', value: disk },
      { name: 'storage.available_bytes', unit: 'By', value: Math.round((1 - disk / 100) * kind.storageBytes) },
      { name: `net.${link}.rx_bytes_total`, unit: 'By', value: Math.round(received) },
      { name: `net.${link}.tx_bytes_total`, unit: 'By', value: Math.round(sent) },
      { name: 'system.uptime_s', unit: 's', value: Math.max(0, Math.round((nowMs - bootedMs) / 1000)) },
      { name: 'system.boot_count', unit: '1', value: boots },
      ...(kind.link.rssi === null ? [] : [{ name: 'net.rssi_dbm', unit: 'dBm', value: kind.link.rssi + waves.rssi() }]),
      ...(kind.battery ? [{ name: 'battery.level_percent', unit: '%', value: battery }] : []),
    ]
    return { readings: readings.map((reading) => ({ ...reading, value: rounded(reading.value) })), incidents }
  }

  return {
    at,
    uptimeS: (nowMs: number) => Math.max(0, Math.round((nowMs - bootedMs) / 1000)),
    battery: () => (kind.battery ? Math.round(battery) : null),
    /** A restart: counters are reset, leaked memory is free again. */
    boot: (nowMs: number) => {
      bootedMs = nowMs
      boots++
      received = 0
      sent = 0
      leaked = 0
    },
    /** Lets an incident happen at the next measurement; its metric shows it too. */
    script: (incident: Incident) => void (scripted = incident),
    /** A bad release uses processor time, which shows in the health of the fleet. */
    burden: (points: number) => void (extraCpu = points),
  }
}
export type Signals = ReturnType<typeof signalsOf>
