import { expect, it } from 'vitest'
import { describeDeletion } from './project-deletion-text'

const token = (name: string, state: 'active' | 'expiring' | 'expired' | 'revoked' = 'active') => ({ name, state })

it('the question before a project is deleted names its open rollouts and the tokens that work', () => {
  const counts = { devices: 2, releases: 1, open_rollouts: 1 }
  expect(
    describeDeletion(counts, [token('ci'), token('night', 'expiring'), token('old', 'expired'), token('lost', 'revoked')]),
  ).toBe(
    '2 devices and 1 release are deleted too. 1 open rollout stops where it is. 2 access tokens stop working at once: ci, night. This cannot be undone.',
  )
  const many = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => token(name))
  expect(describeDeletion({ ...counts, open_rollouts: 2 }, many)).toBe(
    '2 devices and 1 release are deleted too. 2 open rollouts stop where they are. 7 access tokens stop working at once: a, b, c, d, e, 2 more. This cannot be undone.',
  )
})

it('a project without open rollouts and tokens is deleted without a word of them', () => {
  const counts = { devices: 0, releases: 0, open_rollouts: 0 }
  for (const tokens of [undefined, [], [token('old', 'expired')]])
    expect(describeDeletion(counts, tokens)).toBe('0 devices and 0 releases are deleted too. This cannot be undone.')
})
