import type { Seats } from '../../../contract/accounts/invites'
import { pluralize } from '../../lib/pluralize'

export const freeSeats = ({ limit, taken, invited }: Seats): number => Math.max(0, limit - taken - invited)

/** How many seats of the plan are used. */
export const seatsUsed = ({ plan, limit, taken, invited }: Seats): string => {
  const held = invited === 0 ? '' : `, ${invited} of them by open invites`
  return `${taken + invited} of ${pluralize(limit, 'seat')} of the ${plan} plan are taken${held}.`
}

/** Why nobody can be invited. */
export const describeSeatLimit = (seats: Seats): string =>
  seats.limit === 1 ? `The ${seats.plan} plan has 1 seat, and it is taken.` : `No seats left: ${seatsUsed(seats)}`

/** Why some of the typed addresses cannot be invited. */
export const seatsMissing = (seats: Seats, typed: number): string => {
  const free = freeSeats(seats)
  return `${pluralize(typed, 'address', 'addresses')} for ${pluralize(free, 'free seat')}: only the first ${free === 1 ? 'one' : free} can be invited.`
}
