import { standardThresholds } from '../../../contract/health'
import type { ProjectSettings } from '../../../contract/projects'

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
