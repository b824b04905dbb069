import { createHash } from 'node:crypto'

/** What all clients accept: SWUpdate fails at a day, Zephyr reads eight characters. */
const bounds = { least: 30, most: 86_399 } as const
const whileUpdating = 60
const afterOpening = 300

/** From 0 to 1, the same at every poll of a device: so the polls of a fleet are spread. */
const shareOf = (deviceId: string) => createHash('sha256').update(deviceId).digest().readUInt32BE() / 2 ** 32

type Facts = { deviceId: string; pollS: number; isUpdating: boolean; opensAt: Date | null; now: Date }

/** The seconds until the next poll: not past the opening of a maintenance window. */
export const sleepSeconds = ({ deviceId, pollS, isUpdating, opensAt, now }: Facts): number => {
  const share = shareOf(deviceId)
  const usual = isUpdating ? whileUpdating : pollS * (0.95 + 0.1 * share)
  const opening = opensAt === null ? Infinity : (opensAt.getTime() - now.getTime()) / 1000 + afterOpening * share
  return Math.round(Math.min(bounds.most, Math.max(bounds.least, Math.min(usual, opening))))
}

const two = (value: number) => String(value).padStart(2, '0')

export const toSleep = (seconds: number): string =>
  [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':')
