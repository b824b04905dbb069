import { createHash } from 'node:crypto'
import type { DeviceRow } from './repository'
import { statesOf } from './update-group'

/** What all hawkBit clients accept: SWUpdate fails at a day, Zephyr reads eight characters. */
export const clientSleepS = { least: 30, most: 86_399 } as const
const whileUpdatingS = 60

/** From 0 to 1, the same at every poll of a device: so the polls of a fleet are spread. */
export const shareOf = (deviceId: string): number => createHash('sha256').update(deviceId).digest().readUInt32BE() / 2 ** 32

/** The seconds that a hawkBit client is told to wait, but for maintenance windows. */
export const toClientSleepS = ({
  deviceId,
  pollS,
  isUpdating,
}: {
  deviceId: string
  pollS: number
  isUpdating: boolean
}): number => {
  const usual = isUpdating ? whileUpdatingS : pollS * (0.95 + 0.1 * shareOf(deviceId))
  return Math.round(Math.min(clientSleepS.most, Math.max(clientSleepS.least, usual)))
}

/** When a device polls next by what it was last told. */
export const findNextPoll = (
  { id, protocol, lastSeenAt, updateState }: Pick<DeviceRow, 'id' | 'protocol' | 'lastSeenAt' | 'updateState'>,
  pollS: number,
): Date | null => {
  const isUpdating = updateState !== null && statesOf('in_progress').includes(updateState)
  const seconds = protocol === 'ddi' ? toClientSleepS({ deviceId: id, pollS, isUpdating }) : pollS
  return lastSeenAt && new Date(lastSeenAt.getTime() + seconds * 1000)
}
