import { createHash } from 'node:crypto'
import type { ModelClient } from '../../../contract/ddi/model-client'
import type { DeviceRow } from './repository'
import { statesOf } from './state/update-group'

/** What all hawkBit clients accept: SWUpdate fails at a day, Zephyr reads eight characters. */
export const clientSleepS = { least: 30, most: 86_399 } as const
const whileUpdatingS = 60

/**
 * A device that installs is heard of after so many sleeps at the latest: SWUpdate may spend the first poll on its attributes, and
 * one poll may be lost.
 */
const sleepsUntilHeard = 3

/** The least time after which a hawkBit client may be said to be silent in an update: it is told to sleep that long. */
export const leastSilenceS = sleepsUntilHeard * whileUpdatingS

/** How long a device may take to confirm an update: not less than its client is told to sleep before it can. */
export const confirmWithinS = ({ confirm_within_s }: Pick<ModelClient, 'confirm_within_s'>): number =>
  Math.max(confirm_within_s, leastSilenceS)

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
