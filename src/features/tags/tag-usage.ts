import { pluralize } from '../../lib/pluralize'

/** "12 devices carry it and 1 open rollout chooses by it"; undefined if it is not used. */
export const describeUsage = ({ devices, rollouts }: { devices: number; rollouts: number }): string | undefined => {
  const words = [
    devices > 0 && `${pluralize(devices, 'device uses', 'devices use')} it`,
    rollouts > 0 && `${pluralize(rollouts, 'open rollout uses', 'open rollouts use')} by it`,
  ].filter((word) => word !== false)
  return words.length === 0 ? undefined : words.join(' and ')
}
