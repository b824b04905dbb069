import { fleetMetrics } from './fleet-metrics'

const codes: Readonly<Record<string, string>> = { Cel: '°C', '1': '', By: 'B', 'By/s': 'B/s' }
const known = (name: string) => fleetMetrics.find((metric) => metric.name === name)

/** A unit code of UCUM as it is read; a metric without one may be a known one. */
export const formatUnit = (name: string, unit: string | null): string =>
  unit === null ? (known(name)?.unit ?? '') : (codes[unit] ?? unit)

/** The title of a known metric, otherwise its name. */
export const formatMetric = (name: string): string => known(name)?.title ?? name

const fine = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
export const formatValue = (value: number, unit: string): string => `${fine.format(value)}${unit && ` ${unit}`}`
