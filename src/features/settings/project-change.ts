import type { Infer } from 'superstruct'
import type { ProjectChange } from '../../../contract/accounts/project-changes'
import type { Threshold, Thresholds } from '../../../contract/fleet/thresholds'
import type { Project } from '../../../contract/accounts/projects'
import { formatDuration } from '../../lib/durations'
import { fleetMetrics } from '../../../contract/fleet/fleet-metrics'
import { formatValue } from '../../system/form/conflict-notice'
import type { Fields } from '../../system/form/edit-conflict'
import { flattenFields, nestFields } from '../../system/form/nested-fields'

type Change = Infer<typeof ProjectChange>

/** Labels of the fields, for a conflict. */
export const labels: Readonly<Record<string, string>> = {
  name: 'Name',
  description: 'Description',
  'settings.polling_interval_s': 'Polling interval',
  'settings.update_timeout_s': 'Update timeout',
  'settings.quarantine_s': 'Quarantine',
  'settings.max_concurrent_updates': 'Concurrent updates',
  'settings.device_failure_threshold': 'Failures before quarantine',
  'settings.auto_accept_devices': 'Accept new devices automatically',
  'settings.require_approval': 'Rollouts need approval',
  ...Object.fromEntries(fleetMetrics.map(({ name, title }) => [`health.${name}`, title])),
}

/** A value of a conflict. */
export const say = (field: string, value: unknown): string => {
  if (field.startsWith('health.')) {
    if (!value) return 'off'
    const { warning, critical, clear_after_s: wait } = value as Threshold
    return `warning ${warning}, critical ${critical}, clear after ${wait === 0 ? '0 s' : formatDuration(wait)}`
  }
  return field.endsWith('_s') && typeof value === 'number' && value > 0 ? formatDuration(value) : formatValue(value)
}

/** Each metric is a field of its own, null without thresholds. Its levels in one order: values are compared as JSON. */
const healthFields = (metrics: readonly string[], thresholds: Thresholds): Fields =>
  Object.fromEntries(
    metrics.map((name) => {
      const found = thresholds[name]
      const levels = found && { warning: found.warning, critical: found.critical, clear_after_s: found.clear_after_s }
      return [`health.${name}`, levels ?? null]
    }),
  )
const metricsOf = (thresholds: Thresholds) => [...fleetMetrics.map(({ name }) => name), ...Object.keys(thresholds)]

/** A saved project as the fields of its form. */
export const fieldsOf = ({ name, description, settings }: Project): Fields => {
  const { health_thresholds: thresholds, hardware_models: _others, ...rest } = settings
  return { name, description, ...flattenFields('settings', rest), ...healthFields(metricsOf(thresholds), thresholds) }
}

/** What a form that began with this project holds. A metric without thresholds is switched off. */
export const toFields = (began: Project, { settings = {}, ...body }: Change): Fields => {
  const { health_thresholds: thresholds = {}, ...rest } = settings
  const metrics = metricsOf({ ...began.settings.health_thresholds, ...thresholds })
  return { ...body, ...flattenFields('settings', rest), ...healthFields(metrics, thresholds) }
}

/** The body that changes these fields of the project. The server replaces the thresholds of all metrics together. */
export const toChange = (project: Project, fields: Fields): Change => {
  const { health, ...change } = nestFields('health', fields)
  if (!health) return nestFields('settings', change) as Change // The fields of `toFields`, which are those of the body.
  const metrics = Object.entries({ ...project.settings.health_thresholds, ...health })
  const thresholds = Object.fromEntries(metrics.filter(([, levels]) => levels !== null))
  return nestFields('settings', { ...change, 'settings.health_thresholds': thresholds }) as Change
}
