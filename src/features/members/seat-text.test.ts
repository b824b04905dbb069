import { expect, it } from 'vitest'
import { freeSeats, seatsMissing, describeSeatLimit, seatsUsed } from './seat-text'

const developer = { plan: 'developer', limit: 1, taken: 1, invited: 0 } as const
const production = { plan: 'production', limit: 200, taken: 150, invited: 48 } as const

it('open invites take seats, and the number of free seats is never negative', () => {
  expect([freeSeats(developer), freeSeats(production), freeSeats({ ...developer, taken: 3 })]).toEqual([0, 2, 0])
})

it('the usage of the plan is given with its limit, and a single seat in the singular', () => {
  expect(seatsUsed(production)).toBe('198 of 200 seats of the production plan are taken, 48 of them by open invites.')
  expect(describeSeatLimit(developer)).toBe('The developer plan has 1 seat, and it is taken.')
  expect(describeSeatLimit({ ...production, invited: 50 })).toBe(
    'No seats left: 200 of 200 seats of the production plan are taken, 50 of them by open invites.',
  )
})

it('more addresses than seats are counted', () => {
  expect(seatsMissing(production, 3)).toBe('3 addresses for 2 free seats: only the first 2 can be invited.')
  expect(seatsMissing({ ...production, invited: 49 }, 2)).toBe('2 addresses for 1 free seat: only the first one can be invited.')
})
