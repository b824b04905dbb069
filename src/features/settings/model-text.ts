import type { HardwareModel } from '../../../contract/fleet/hardware-models'
import type { ClientKind } from '../../../contract/ddi/model-client'
import { product } from '../../../contract/core/limits'
import { formatDuration } from '../../lib/durations'

export const clientNames: Record<ClientKind, string> = {
  teasel: 'Teasel agent',
  swupdate: 'SWUpdate',
  rauc: 'RAUC (rauc-hawkbit-updater)',
  zephyr: 'Zephyr',
  other: 'Another hawkBit client',
}

/** What runs on the devices of a model, and what confirms their updates. */
export const describeClient = ({ client }: HardwareModel): string => {
  const { kind, confirm_by, version_attribute, confirm_within_s } = client
  if (kind === product.slug) return clientNames[kind]
  return confirm_by === 'client'
    ? `${clientNames[kind]}, updates confirmed by the client's word`
    : `${clientNames[kind]}, updates confirmed by ${version_attribute} within ${formatDuration(confirm_within_s)}`
}
