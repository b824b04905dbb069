/** The metrics of a fleet: used by the charts on Monitor and the thresholds in the settings. */
export const fleetMetrics = [
  { name: 'cpu.temperature_celsius', title: 'CPU temperature', unit: '°C' },
  { name: 'cpu.usage_percent', title: 'CPU used', unit: '%' },
  { name: 'memory.used_percent', title: 'Memory used', unit: '%' },
  { name: 'storage.used_percent', title: 'Storage used', unit: '%' },
] as const
