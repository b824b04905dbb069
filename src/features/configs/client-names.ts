import type { ConfiguredClient } from '../../../contract/client-configs'

export const clientNames: Record<ConfiguredClient, string> = {
  swupdate: 'SWUpdate',
  rauc: 'rauc-hawkbit-updater',
  zephyr: 'Zephyr',
}
