import { describe, expect, it } from 'vitest'
import { describeDevices, describeFiles } from './decision-facts'

const from = (version: number | null, display: string | null = null) => ({ from_version: version, from_display_version: display })

describe('what a second person decides about', () => {
  it('counts the devices by what they run now, the most first, and those that are not in the list', () => {
    const devices = [from(1, '2.3.1'), from(null), from(2, '2.4.0'), from(2, '2.4.0'), from(3)]
    expect(describeDevices(devices, 5)).toBe('5: 2 from 2.4.0, 1 from 2.3.1, 1 without a release, 1 from v3')
    expect(describeDevices(devices.slice(2, 4), 1402)).toBe('1,402: 2 from 2.4.0, 1,400 more')
    expect(describeDevices(devices.slice(2, 4), 2)).toBe('2 from 2.4.0')
    expect(describeDevices([], 0)).toBe('0')
  })

  it('names the files that devices get, with their sizes', () => {
    const asset = (name: string, kind: 'payload' | 'notes' = 'payload') => ({ name, kind, size: 2000 }) as never
    expect(describeFiles({ assets: [] })).toBe('None')
    expect(describeFiles({ assets: [asset('run.sh'), asset('notes.md', 'notes')] })).toBe('run.sh (1.95 KB)')
    const many = Array.from({ length: 8 }, (_, n) => asset(`part-${n}`))
    expect(describeFiles({ assets: many })).toMatch(/^part-0 \(1\.95 KB\), .*part-4 \(1\.95 KB\), 3 more$/)
  })
})
