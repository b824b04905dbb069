import type { ConfiguredClient } from '../../../contract/fleet/client-configs'

export const clientNames: Record<ConfiguredClient, string> = {
  swupdate: 'SWUpdate',
  rauc: 'rauc-hawkbit-updater',
  zephyr: 'Zephyr',
}
