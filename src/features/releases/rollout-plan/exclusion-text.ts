import { readable } from '../../../lib/status-display'

const texts: Partial<Record<string, string>> = {
  lifecycle_active: 'not active',
  updates_enabled: 'updates are off',
  not_quarantined: 'in quarantine',
  hardware_matches: 'incompatible hardware',
  not_already_installed: 'already installed',
  version_newer: 'newer version installed',
  min_version_met: 'installed version too old',
  rollback_number_ok: 'downgrade not allowed',
  key_trusted: 'does not trust the signing key',
}

/** The check that excludes a device, as a description of the device. */
export const describeExclusion = (reason: string): string => texts[reason] ?? readable(reason)
