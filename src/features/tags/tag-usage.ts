import type { Tag } from '../../../contract/fleet/tags'
import { pluralize } from '../../lib/pluralize'

type Usage = { devices: number; rollouts: number; enrollment_tokens: number }

export const usageOf = ({ device_count, used_by_rollouts, used_by_enrollment_tokens }: Tag): Usage => ({
  devices: device_count,
  rollouts: used_by_rollouts,
  enrollment_tokens: used_by_enrollment_tokens,
})

/** "12 devices use it and 1 open rollout selects devices by it"; undefined if it is not used. */
export const describeUsage = ({ devices, rollouts, enrollment_tokens: tokens }: Usage): string | undefined => {
  const words = [
    devices > 0 && `${pluralize(devices, 'device uses', 'devices use')} it`,
    rollouts > 0 && `${pluralize(rollouts, 'open rollout selects', 'open rollouts select')} devices by it`,
    tokens > 0 && `${pluralize(tokens, 'enrollment token gives', 'enrollment tokens give')} it to new devices`,
  ].filter((word) => word !== false)
  const last = words.pop()
  return words.length === 0 ? last : `${words.join(', ')} and ${last}`
}
