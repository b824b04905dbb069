import { expect, it } from 'vitest'
import { defaultBackoff, defaultGate } from '../../../../contract/updates/rollout-plans'
import { describeRetries, describeSoak, describeTarget } from './plan-text'

it('a target is described by the fields that select', () => {
  expect(describeTarget({ everything: true, tags_any: ['lab'], key_trusted: true })).toEqual([
    'All compatible devices',
    'Only devices that trust the signing key',
  ])
  const device_ids = ['01K00000000000000000000DEV']
  const target = {
    tags_any: ['lab'],
    tags_none: ['slow'],
    models: ['gw', 'cam'],
    versions: [20_400],
    query: 'north',
    device_ids,
    failed_in: 'x',
  }
  expect(describeTarget(target)).toEqual([
    'Any of the tags lab',
    'Models gw, cam',
    'Installed versions 20400',
    'Name or serial number contains “north”',
    '1 named device',
    'Failed devices of an earlier rollout',
    'None of the tags slow',
  ])
})

it.each([
  [0, 2, 'None'],
  [1, 2, '1, the first after 5 min'],
  [3, 1, '3, the first after 5 min, each later one as well'],
  [3, 2, '3, the first after 5 min, then each time 2 times longer, at most 1 d'],
])('%i retries with the factor %i are described with their waits', (retries, factor, text) =>
  expect(describeRetries({ retries, backoff: { ...defaultBackoff, factor } })).toBe(text),
)

it('the soak of a wave names its health gate, which soaks at least an hour, and the person it waits for', () => {
  expect(describeSoak(defaultGate)).toBe('None')
  expect(describeSoak({ ...defaultGate, soak_s: 600, then: 'wait_for_user' })).toBe('10 min, then a person')
  expect(describeSoak({ ...defaultGate, soak_s: 600, health_gate: true })).toBe('1 h, health gate')
})
