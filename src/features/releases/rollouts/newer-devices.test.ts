import { expect, it } from 'vitest'
import { newerFacts } from './newer-devices'

const sample = ['gw-1', 'gw-2'].map((name) => ({ id: name, name }))

it('says of devices that run a newer version why a rollout leaves them out and what reaches them', () => {
  const facts = newerFacts(
    [
      { version: 6, display_version: '2.6.0', reason: 'signed_before', count: 2, sample },
      { version: 7, display_version: null, reason: 'not_listed', count: 4, sample },
      { version: 8, display_version: null, reason: 'rollout', count: 2, sample },
    ],
    '2.5.0',
  )
  expect(facts.map(({ label, value }) => [label, value])).toEqual([
    [
      'Of these, with 2.6.0',
      '2 (gw-1, gw-2). 2.6.0 was signed before releases listed what they may return to. A release with a higher version reaches them.',
    ],
    [
      'Of these, with v7',
      '4 (gw-1, gw-2 and 2 more). v7 does not list 2.5.0 as a version to return to. A release with a higher version reaches them.',
    ],
    [
      'Of these, with v8',
      '2 (gw-1, gw-2). v8 may return to 2.5.0, but this rollout does not allow downgrades. The full plan can allow them.',
    ],
  ])
})
