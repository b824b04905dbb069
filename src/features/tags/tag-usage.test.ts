import { expect, it } from 'vitest'
import { describeUsage } from './tag-usage'

it.each([
  [{ devices: 0, rollouts: 0, enrollment_tokens: 0 }, undefined],
  [{ devices: 1, rollouts: 0, enrollment_tokens: 0 }, '1 device uses it'],
  [{ devices: 12, rollouts: 1, enrollment_tokens: 0 }, '12 devices use it and 1 open rollout selects devices by it'],
  [
    { devices: 2, rollouts: 3, enrollment_tokens: 1 },
    '2 devices use it, 3 open rollouts select devices by it and 1 enrollment token gives it to new devices',
  ],
])('the use of a tag by %j is described', (usage, text) => {
  expect(describeUsage(usage)).toBe(text)
})
