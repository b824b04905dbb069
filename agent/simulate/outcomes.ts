import type { Random } from './random'

/** The result of one attempt to update. */
export const outcomes = ['success', 'resumed', 'hook_fails', 'boot_fails', 'old_keys', 'no_space', 'offline', 'stuck'] as const
export type Outcome = (typeof outcomes)[number]

/** In percent; the sum is 100. */
const mix: readonly (readonly [Outcome, number])[] = [
  ['success', 92],
  ['resumed', 3],
  ['hook_fails', 1.5],
  ['boot_fails', 1],
  ['old_keys', 1],
  ['no_space', 0.5],
  ['offline', 0.7],
  ['stuck', 0.3],
]

const draw = (random: Random, from: readonly (readonly [Outcome, number])[]): Outcome => {
  let left = random.next() * from.reduce((sum, [, weight]) => sum + weight, 0)
  for (const [outcome, weight] of from) if ((left -= weight) < 0) return outcome
  return 'success'
}

/** A release that is marked as bad fails on 35 of 100 devices, so that gates and the halt can be shown. */
export const outcomeOf = (random: Random, isBad: boolean): Outcome =>
  isBad && random.chance(0.35)
    ? draw(random, [
        ['hook_fails', 60],
        ['boot_fails', 40],
      ])
    : draw(random, mix)
