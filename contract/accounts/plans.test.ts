import { expect, it } from 'vitest'
import { satisfies } from './plans'

it.each([
  ['developer', 'developer', true],
  ['developer', 'production', false],
  ['production', 'developer', true],
  ['production', 'production', true],
] as const)('§4, §9: the plan %s satisfies %s: %s', (plan, required, answer) => expect(satisfies(plan, required)).toBe(answer))
