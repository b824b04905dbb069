import { pluralize } from '../../lib/pluralize'

/** "12 devices use it and 1 open rollout selects devices by it"; undefined if it is not used. */
export const describeUsage = ({ devices, rollouts }: { devices: number; rollouts: number }): string | undefined => {
  const words = [
    devices > 0 && `${pluralize(devices, 'device uses', 'devices use')} it`,
    rollouts > 0 && `${pluralize(rollouts, 'open rollout selects', 'open rollouts select')} devices by it`,
  ].filter((word) => word !== false)
  return words.length === 0 ? undefined : words.join(' and ')
}
