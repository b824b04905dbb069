import type { MetricPoint } from '../../contract/device/api'
import { createMetricsReader } from '../../agent/report/metrics'

const isOfMachine = (name: string) => name.startsWith('net.') || name === 'cpu.temperature_celsius'
// What an agent with a sensor and one network interface sends beside that, whatever this machine has.
const device = [
  { name: 'cpu.temperature_celsius', unit: 'Cel', value: 48.5 },
  { name: 'net.eth0.rx_bytes_total', unit: 'By', value: 1_843_201_334 },
  { name: 'net.eth0.tx_bytes_total', unit: 'By', value: 220_334_113 },
]
const read = createMetricsReader('/')(0).filter(({ name }) => !isOfMachine(name))

/** The metrics that the agent sends each minute by default, with values that change. */
export const agentPoints = (tsMs: number): MetricPoint[] =>
  [...read, ...device].map(({ name, unit, value }, n) => ({ name, unit, ts_ms: tsMs, value: value + ((tsMs / 1000 + n) % 4) }))
