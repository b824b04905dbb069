import { formatCount } from '../../lib/amounts'

const amount = (count: number, one: string, many: string) => `${formatCount(count)} ${count === 1 ? one : many}`

/** "12 devices carry it and 1 open rollout chooses by it"; undefined where nothing does. */
export const usageWords = ({ devices, rollouts }: { devices: number; rollouts: number }): string | undefined => {
  const words = [
    devices > 0 && `${amount(devices, 'device carries', 'devices carry')} it`,
    rollouts > 0 && `${amount(rollouts, 'open rollout chooses', 'open rollouts choose')} by it`,
  ].filter((word) => word !== false)
  return words.length === 0 ? undefined : words.join(' and ')
}
