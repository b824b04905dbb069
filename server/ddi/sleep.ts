import { clientSleepS, shareOf, toClientSleepS } from '../fleet/devices/next-poll'

const afterOpening = 300

type Facts = { deviceId: string; pollS: number; isUpdating: boolean; opensAt: Date | null; now: Date }

/** The seconds until the next poll: not past the opening of a maintenance window. */
export const sleepSeconds = ({ deviceId, pollS, isUpdating, opensAt, now }: Facts): number => {
  const usual = toClientSleepS({ deviceId, pollS, isUpdating })
  if (opensAt === null) return usual
  const opening = Math.round((opensAt.getTime() - now.getTime()) / 1000 + afterOpening * shareOf(deviceId))
  return Math.min(usual, Math.max(clientSleepS.least, opening))
}

const two = (value: number) => String(value).padStart(2, '0')

export const toSleep = (seconds: number): string =>
  [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':')
