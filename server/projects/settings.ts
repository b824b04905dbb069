import type { ProjectSettings } from '../../contract/projects'

const load = { warning: 80, critical: 90, clear_after_s: 300 }

/** What a new project starts with (product.md 4.4). */
export const standardSettings: ProjectSettings = {
  polling_interval_s: 3600,
  auto_accept_devices: true,
  max_concurrent_updates: 10,
  device_failure_threshold: 3,
  quarantine_s: 86_400,
  update_timeout_s: 7200,
  require_approval: false,
  health_thresholds: {
    'cpu.usage_percent': load,
    'memory.used_percent': load,
    'storage.used_percent': load,
    'cpu.temperature_celsius': { warning: 75, critical: 85, clear_after_s: 300 },
  },
  hardware_models: [],
}
