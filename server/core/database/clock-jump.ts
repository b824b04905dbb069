import { formatTimestamp } from '../timestamps'
import { daysAfter } from '../days'
import type { ClockReading } from './schema/plumbing'
import type { Database } from './open'
import { findClockReading, saveClockReading } from './plumbing.repository'

/** A clock that moves further between two readings is not believed for as long: by then a person has seen the alert. */
const clockJumpDays = 7

/** Thrown instead of a deletion by age while the clock is not believed. */
export class ClockJump extends Error {
  override name = 'ClockJump'
}

const isWithin = (from: Date, to: Date) => from <= daysAfter(to, clockJumpDays) && to <= daysAfter(from, clockJumpDays)

/** The state after one more reading; `jumpedAt` is null as long as the clock is believed. */
export const nextClockReading = (last: ClockReading | undefined, now: Date): ClockReading => {
  const steady = { readAt: now, trustedAt: now, jumpedAt: null }
  if (!last || isWithin(last.trustedAt, now)) return steady
  if (last.jumpedAt === null || !isWithin(last.readAt, now)) return { ...last, readAt: now, jumpedAt: now }
  return now >= daysAfter(last.jumpedAt, clockJumpDays) ? steady : { ...last, readAt: now }
}

/**
 * Throws `ClockJump` if the clock of the database has jumped: a deletion by age would then delete everything at once. A correct
 * clock after a stop of so many days looks the same; it is believed when it has gone on for as long.
 */
export const requireSteadyClock = async (db: Database, now: Date): Promise<void> => {
  const { trustedAt, jumpedAt } = await db.transaction(async (tx) => {
    const next = nextClockReading(await findClockReading(tx), now)
    await saveClockReading(tx, next)
    return next
  })
  if (jumpedAt === null) return
  const [from, to, until] = [trustedAt, jumpedAt, daysAfter(jumpedAt, clockJumpDays)].map(formatTimestamp)
  throw new ClockJump(
    `ALARM: the clock of the database jumped from ${from} to ${to}. Nothing is deleted by age until it is set right, or until ${until}. If that time is wrong, set the clock of the database host.`,
  )
}
