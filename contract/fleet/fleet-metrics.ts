/** The metrics of a fleet, with the words that people read: on Monitor, in thresholds and in what needs attention. */
export const fleetMetrics = [
  { name: 'cpu.temperature_celsius', title: 'CPU temperature', unit: '°C' },
  { name: 'cpu.usage_percent', title: 'CPU used', unit: '%' },
  { name: 'memory.used_percent', title: 'Memory used', unit: '%' },
  { name: 'storage.used_percent', title: 'Storage used', unit: '%' },
] as const

export const findFleetMetric = (name: string): (typeof fleetMetrics)[number] | undefined =>
  fleetMetrics.find((metric) => metric.name === name)

/** The title of a known metric, otherwise its name. */
export const formatMetric = (name: string): string => findFleetMetric(name)?.title ?? name
