import { expect, it } from 'vitest'
import { standardThresholds, ThresholdsChange } from './health'
import { checkFields } from '../core/field-errors'

const problems = (value: unknown) => {
  const [errors] = checkFields(value, ThresholdsChange)
  return (errors ?? []).map(({ field, code, message }) => `${field} ${code}: ${message}`)
}
const levels = (warning: number, critical: number, clear_after_s = 300) => ({ warning, critical, clear_after_s })

it('the default thresholds of a new project are valid', () => {
  expect(problems(standardThresholds)).toEqual([])
  expect(problems({})).toEqual([])
})

it('a warning must be below its critical level, and the error names the metric', () => {
  expect(problems({ 'cpu.usage_percent': levels(90, 90), 'memory.used_percent': levels(80, 90) })).toEqual([
    'cpu.usage_percent.warning order: Warning must be below critical',
  ])
})

it('a level must be within the range of its metric', () => {
  expect(problems({ 'storage.used_percent': levels(-1, 101) })).toEqual([
    'storage.used_percent.warning range: Between 0 and 100',
    'storage.used_percent.critical range: Between 0 and 100',
  ])
  expect(problems({ 'cpu.temperature_celsius': levels(-40, 150) })).toEqual([])
  expect(problems({ 'cpu.temperature_celsius': levels(-41, 150.5) })).toHaveLength(2)
  expect(problems({ 'queue.length': levels(1000, 5000) })).toEqual([])
})

it('a value that is not a number and a wait that is too long are reported at their own field', () => {
  expect(problems({ 'cpu.usage_percent': { ...levels(80, 90), warning: 'hot' } })).toEqual([
    'cpu.usage_percent.warning type: Warning must be a number',
  ])
  expect(problems({ 'cpu.usage_percent': levels(80, 90, 86_401) })).toEqual([
    'cpu.usage_percent.clear_after_s range: Clear after must be between 0 and 86400',
  ])
})
