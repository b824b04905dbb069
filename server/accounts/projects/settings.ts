import { grace, limitMs } from '../../../contract/fleet/connectivity'
import { standardThresholds } from '../../../contract/fleet/health'
import type { ProjectSettings } from '../../../contract/accounts/projects'
import { formatTimestamp } from '../../core/timestamps'

/**
 * The interval by which devices that use the project's are late or offline: they learn a shorter one at a check-in, which is due by
 * the former one.
 */
export const contactPollS = ({ polling_interval_s: pollS, former_polling: former }: ProjectSettings, now: Date): number =>
  former && new Date(former.until) > now ? Math.max(pollS, former.interval_s) : pollS

/** The former interval of changed settings. */
export const formerPollingOf = (before: ProjectSettings, pollS: number, now: Date): ProjectSettings['former_polling'] => {
  const formerS = contactPollS(before, now)
  if (pollS >= formerS) return undefined
  if (formerS > before.polling_interval_s) return before.former_polling
  return { interval_s: formerS, until: formatTimestamp(new Date(now.getTime() + limitMs(formerS, grace.late))) }
}

/** The settings of a new project. */
export const standardSettings: ProjectSettings = {
  polling_interval_s: 3600,
  auto_accept_devices: true,
  max_concurrent_updates: 10,
  device_failure_threshold: 3,
  quarantine_s: 86_400,
  update_timeout_s: 7200,
  require_approval: false,
  health_thresholds: standardThresholds,
  hardware_models: [],
}
