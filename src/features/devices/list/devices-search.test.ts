import { describe, expect, it } from 'vitest'
import { activeFilters } from './device-filters'
import { readDevicesSearch } from './devices-search'

describe('the filters in the URL of the device list', () => {
  it('are read with their types, and unknown parameters are left out', () => {
    const search = { tag: 'a', tag_mode: 'none', version_lt: '12', quarantined: 'true', 'attr.kernel': '6.6', experimental: '1' }
    expect(readDevicesSearch(search)).toEqual({
      tag: ['a'],
      tag_mode: 'none',
      version_lt: 12,
      quarantined: true,
      'attr.kernel': '6.6',
    })
    for (const sort of ['name', '-last_seen_at']) expect(readDevicesSearch({ sort })).toEqual({ sort })
  })

  it.each([
    ['version_lt', 'x'],
    ['version_gt', ['1', '2']],
    ['tag_mode', 'most'],
    ['tag', ['a', '']],
    ['quarantined', 'perhaps'],
    ['trusts_key', 'abc'],
    ['last_seen_before', '2026-13-01'],
    ['lifecycle', 'gone'],
    ['sort', '-colour'],
    ['attr.', 'x'],
    ['attr.kernel', ['1', '2']],
  ])('are ignored one by one where they are invalid: %s=%s', (name, value) => {
    expect(readDevicesSearch({ [name]: value, health: 'critical' })).toEqual({ health: 'critical' })
  })

  it('are shown as words, each with the change that removes it', () => {
    const words = (search: Record<string, unknown>) =>
      activeFilters(readDevicesSearch(search)).map(({ field, value }) => `${field} ${value}`)
    expect(words({ tag: ['a', 'b'], version_gt: '3', version: '2.0' })).toEqual([
      'Version 2.0',
      'Version above 3',
      'Tag any of a, b',
    ])
    expect(words({ tag: 'a', tag_mode: 'none' })).toEqual(['Tag not a'])
    expect(words({ tag: ['a', 'b'], tag_mode: 'all' })).toEqual(['Tag all of a, b'])
    expect(words({ 'attr.kernel': '6.6', quarantined: 'false', lifecycle: 'disabled' })).toEqual([
      'Lifecycle Disabled',
      'Quarantine no',
      'kernel 6.6',
    ])
    const marked = activeFilters(readDevicesSearch({ tag: ['a', 'b'], tag_mode: 'none' }), [{ name: 'b' }, { name: 'c' }])
    expect(marked.map(({ value }) => value)).toEqual(['none of a (no such tag), b'])
    const [tag] = activeFilters(readDevicesSearch({ tag: 'a', tag_mode: 'none', health: 'critical' })).slice(-1)
    expect(tag?.clear).toEqual({ tag: undefined, tag_mode: undefined })
  })
})
