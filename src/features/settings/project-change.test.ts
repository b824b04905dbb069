import { expect, it } from 'vitest'
import type { Project } from '../../../contract/accounts/projects'
import { fieldsOf, say, toChange, toFields } from './project-change'

const levels = (warning: number) => ({ warning, critical: 90, clear_after_s: 300 })
const settings = {
  polling_interval_s: 300,
  auto_accept_devices: false,
  max_concurrent_updates: 10,
  device_failure_threshold: 3,
  quarantine_s: 600,
  update_timeout_s: 900,
  require_approval: false,
}
const thresholds = { 'memory.used_percent': levels(80), 'cpu.usage_percent': levels(70), queue: levels(10) }
const project = {
  name: 'Orchard',
  description: '',
  settings: { ...settings, health_thresholds: thresholds, hardware_models: [] },
} as unknown as Project // The fields that the form reads.

it('an unchanged form of a project has the values of the project, in whatever order its metrics are', () => {
  const reordered = Object.fromEntries(Object.entries(thresholds).toReversed())
  const body = { name: 'Orchard', description: '', settings: { ...settings, health_thresholds: reordered } }
  expect(JSON.stringify(Object.entries(toFields(project, body)).toSorted())).toBe(
    JSON.stringify(Object.entries(fieldsOf(project)).toSorted()),
  )
})

it('a change of one metric of a project keeps the thresholds of the others, also those that were set meanwhile', () => {
  const meanwhile = { ...thresholds, 'storage.used_percent': levels(60) }
  const now = { ...project, settings: { ...project.settings, health_thresholds: meanwhile } }
  expect(toChange(now, { 'health.queue': null, 'health.cpu.usage_percent': levels(75) })).toEqual({
    settings: {
      health_thresholds: {
        'memory.used_percent': levels(80),
        'cpu.usage_percent': levels(75),
        'storage.used_percent': levels(60),
      },
    },
  })
})

it('a metric that is switched off in the form of a project is a changed field', () => {
  const { queue: _off, ...others } = thresholds
  const fields = toFields(project, { settings: { health_thresholds: others } })
  expect([fields['health.queue'], fields['health.cpu.usage_percent']]).toEqual([null, levels(70)])
})

it('a change of a setting of a project names this setting alone', () =>
  expect(toChange(project, { name: 'South', 'settings.quarantine_s': 60 })).toEqual({
    name: 'South',
    settings: { quarantine_s: 60 },
  }))

it('a conflict about a project names durations and levels as people read them', () =>
  expect([
    say('settings.quarantine_s', 600),
    say('settings.quarantine_s', 0),
    say('health.queue', levels(10)),
    say('health.queue', null),
    say('settings.require_approval', true),
  ]).toEqual(['10 min', '0', 'warning 10, critical 90, clear after 5 min', 'off', 'yes']))
