import { expect, it } from 'vitest'
import { describeEmpty, describeMerged, describeOverlap, describePaused, describeRest, labelWave } from './preview-text'

const out = (reason: string, count: number) => ({ reason, count, sample: [] })
const wave = (plan_wave: number) => ({ n: 1, plan_wave, count: 1, asked_count: null, sample: [] })

it('a preview without devices says whether none is selected, or why the selected ones are left out', () => {
  expect(describeEmpty({ excluded: [] })).toBe('No device of the project matches this selection.')
  expect(describeEmpty({ excluded: [out('not_already_installed', 1)] })).toBe(
    '1 selected device is left out: 1 already installed.',
  )
  expect(describeEmpty({ excluded: [out('not_already_installed', 3), out('lifecycle_active', 2)] })).toBe(
    '5 selected devices are left out: 3 already installed, 2 not active.',
  )
})

it('waves of the plan without devices are named', () => {
  expect(describeMerged({ waves: [wave(1), wave(2)] }, 2)).toBeUndefined()
  expect(describeMerged({ waves: [wave(2)] }, 2)).toBe(
    'Wave 1 of the plan has no devices and will be left out. The ones after move up.',
  )
  expect(describeMerged({ waves: [wave(3)] }, 4)).toBe(
    'Waves 1, 2, 4 of the plan have no devices and will be left out. The ones after move up.',
  )
  expect(describeMerged({ waves: [wave(1)] }, 2)).toBe('Wave 2 of the plan has no devices and will be left out.')
  expect([labelWave({ n: 2, plan_wave: 2 }), labelWave({ n: 2, plan_wave: 3 })]).toEqual(['Wave 2', 'Wave 2 (3 of the plan)'])
  expect(describeMerged({ waves: [] }, 2)).toBeUndefined()
})

it('another open rollout of the same devices is named, with the rule of order', () => {
  expect(describeOverlap({ name: 'Gateway #2', count: 1 })).toBe(
    '1 device waits or is updated in Gateway #2 too. Of two rollouts, a device gets the one with the higher priority first, or else the newer release.',
  )
})

it('a last wave that takes more devices than its count, and paused devices, are said', () => {
  const last = { n: 2, plan_wave: 2, count: 5, asked_count: 3, sample: [] }
  expect(describeRest({ waves: [wave(1), last] })).toBe(
    'Wave 2 is the last one: it takes all devices that are left, 5, although the plan ends at 3.',
  )
  expect(describeRest({ waves: [wave(1)] })).toBeUndefined()
  expect(describePaused({ count: 2 })).toBe('2 (each waits until the end of its pause)')
})
