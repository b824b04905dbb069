import type { Incident } from '../../agent/simulate/signals'

/** The finding of a log summary that names a simulated incident. */
export const findingOfIncident: Record<Incident, string> = {
  out_of_memory: 'out_of_memory',
  thermal_throttle: 'thermal_throttle',
  disk_full: 'disk_full',
  under_voltage: 'under_voltage',
  storage_failure: 'filesystem_errors',
  wrong_clock: 'tls_failure',
}
