import { describe, expect, it } from 'vitest'
import { describeHealth } from './health-text'

const thresholds = { 'cpu.usage_percent': { warning: 80, critical: 90, clear_after_s: 300 } }
const reason = (value: number, metric = 'cpu.usage_percent') => ({ metric, value, threshold: 90, since: '' })

describe('describeHealth', () => {
  it('names the metric by its label, the value and the limit while the value is over the limit', () => {
    expect(describeHealth(reason(94.26), thresholds)).toBe('CPU used is 94.3 %, the limit is 90 %')
  })

  it('says when a value below the limit clears the level that it has caused', () => {
    expect(describeHealth(reason(74.2), thresholds)).toBe(
      'CPU used is 74.2 % again, below the limit of 90 %; clears after 5 min below it',
    )
  })

  it('promises no time for a metric whose threshold was removed', () => {
    expect(describeHealth(reason(74.2, 'disk.used'), thresholds)).toBe('disk.used is 74.2 again, below the limit of 90')
  })
})
