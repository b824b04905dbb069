import { expect, it } from 'vitest'
import { describeMade, describeRights } from './role-change-text'

it('another role says which rights stop and which begin, by their words', () => {
  expect(describeRights('developer', 'operator', false)).toBe(
    'They can no longer: create projects, update projects, manage releases, manage access. They can then: approve releases. It counts from their next request.',
  )
  expect(describeRights('operator', 'viewer', true)).toBe(
    'They can no longer: manage devices, approve releases, remote command. It counts from their next request.',
  )
})

it('a change of role names the tokens that do less and the scheduled rollouts that wait for somebody else', () => {
  const project = { id: 'p', name: 'Gateways' }
  const tokens = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => ({ id: name, name, project, lost: [] }))
  expect(describeMade({ access_tokens: tokens, scheduled_rollouts: [{ id: 'r', name: 'June', project }] }, 'may do less')).toBe(
    '7 access tokens of theirs may then do less: a (Gateways), b (Gateways), c (Gateways), d (Gateways), e (Gateways), 2 more. 1 scheduled rollout of theirs waits at the start time until somebody who may starts it: June (Gateways).',
  )
  expect(describeMade({ access_tokens: [], scheduled_rollouts: [] }, 'may do less')).toBe('')
  expect(describeMade({ access_tokens: tokens.slice(0, 1), scheduled_rollouts: [] }, 'stop working')).toBe(
    '1 access token of theirs stops working: a (Gateways).',
  )
})
