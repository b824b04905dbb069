import { expect, it } from 'vitest'
import { nameDevices, trustFacts, untrustingOf } from './untrusting'

const device = (name: string, never_seen = false) => ({ id: name, name, never_seen })

const preview = (left_out: boolean) => ({
  total: left_out ? 2 : 3,
  waves: [],
  overlaps: [],
  paused: null,
  excluded: left_out ? [{ reason: 'key_trusted', count: 1, sample: [device('cam')] }] : [],
  newer: [],
  key_coverage: { trusting: 2, not_applicable: 0, total: left_out ? 2 : 3, missing: left_out ? [] : [device('cam')] },
  size_bytes_total: 0,
  requires_approval: false,
  preview_hash: '0',
})

it.each([true, false])('the devices without the key are the same whether they are left out (%s)', (out) => {
  expect(untrustingOf(preview(out))).toMatchObject({ count: 1, sample: [{ name: 'cam' }] })
})

it('devices whose client verifies are neither trusting nor without the key', () => {
  const seen = {
    ...preview(false),
    total: 8,
    key_coverage: { trusting: 2, not_applicable: 5, total: 8, missing: [device('cam')] },
  }
  expect(untrustingOf(seen).count).toBe(1)
  expect(trustFacts(seen)).toEqual([
    { label: 'Trust the signing key', value: '2 of 3' },
    { label: 'Verified by their client', value: '5' },
  ])
})

it('names of devices say which were never seen and how many are not named', () => {
  expect(nameDevices([device('cam', true), device('gw')], 5)).toBe('cam (never seen), gw and 3 more')
  expect(nameDevices([device('gw')], 1)).toBe('gw')
})
