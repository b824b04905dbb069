import type { Rollout } from '../../../../contract/updates/rollouts'
import { formatCount } from '../../../lib/amounts'

type BulkChange = NonNullable<Rollout['bulk_change']>

const words: Record<BulkChange['kind'], { devices: string; rest: string }> = {
  show_waiting: { devices: 'waiting', rest: 'to be listed as waiting. Devices are offered the release in the meantime' },
  cancel_waiting: { devices: 'waiting', rest: 'to be removed from the rollout. None of them is offered the release' },
  ask_abort: { devices: 'running', rest: 'to be asked to stop' },
  retry_failed: { devices: 'failed', rest: 'to be queued again' },
}

/** The running bulk change of a large rollout. */
export const describeBulkChange = ({ kind, left }: BulkChange): string => {
  const { devices, rest } = words[kind]
  const some = left === 1 ? `1 ${devices} device is` : `${formatCount(left)} ${devices} devices are`
  return `${some} still ${rest}. No action is needed.`
}
