import { findFleetMetric } from '../../contract/fleet/fleet-metrics'

const codes: Readonly<Record<string, string>> = { Cel: '°C', '1': '', By: 'B', 'By/s': 'B/s' }

/** A unit code of UCUM as it is read; a metric without one may be a known one. */
export const formatUnit = (name: string, unit: string | null): string =>
  unit === null ? (findFleetMetric(name)?.unit ?? '') : (codes[unit] ?? unit)

const fine = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
export const formatValue = (value: number, unit: string): string => `${fine.format(value)}${unit && ` ${unit}`}`
