import type { DeviceChanges, DeviceRow } from '../repository'

type SeenFrom = DeviceRow['seenFrom'][number]
type Known = Pick<DeviceRow, 'seenFrom' | 'lastSeenAt'>
type Columns = Pick<DeviceChanges, 'seenFrom' | 'tokenSharedAt' | 'tokenSharedBy'>

const kept = 4
/** A device with two uplinks switches rarely; two users of one token alternate with every poll. */
const turns = { addressMs: 3_600_000, bootMs: 86_400_000 } as const

/** Whether the last contact came from there too. */
export const isKnownOrigin = ({ seenFrom: [last] }: Pick<DeviceRow, 'seenFrom'>, address: string, bootId: string): boolean =>
  last !== undefined && last.address === address && last.boot_id === bootId

// Check-ins without news move only the last contact of the device.
const withLastContact = (last: SeenFrom, lastSeenAt: Date | null): SeenFrom =>
  lastSeenAt !== null && lastSeenAt > new Date(last.at) ? { ...last, at: lastSeenAt.toISOString() } : last

/**
 * T-18: where a token was used from. A boot or address that returns after another one was seen meanwhile means that two devices
 * use the token. Nothing is refused: a person decides, by issuing a new token.
 */
export const tokenUse = ({ seenFrom, lastSeenAt }: Known, address: string, bootId: string, now: Date): Columns => {
  const place: SeenFrom = { address, boot_id: bootId, at: now.toISOString() }
  const [last, ...earlier] = seenFrom
  if (!last) return { seenFrom: [place] }
  if (last.address === address && last.boot_id === bootId) return { seenFrom: [place, ...earlier] }
  const within = ({ at }: SeenFrom, ms: number) => now.getTime() - new Date(at).getTime() <= ms
  const boot = last.boot_id !== bootId && earlier.some((one) => one.boot_id === bootId && within(one, turns.bootMs))
  const turned = last.address !== address && earlier.some((one) => one.address === address && within(one, turns.addressMs))
  const others = [withLastContact(last, lastSeenAt), ...earlier].filter(
    (one) => one.address !== address || one.boot_id !== bootId,
  )
  return {
    seenFrom: [place, ...others].slice(0, kept),
    ...((boot || turned) && { tokenSharedAt: now, tokenSharedBy: boot ? ('boot' as const) : ('address' as const) }),
  }
}

/** Facts about the previous token do not apply to the new one. */
export const unsharedToken = { seenFrom: [], tokenSharedAt: null, tokenSharedBy: null } satisfies Columns
