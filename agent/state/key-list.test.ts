import { expect, it } from 'vitest'
import { maxKeyListCounter } from '../../contract/device/api'
import type { KeyListPayload } from '../../contract/device/key-list'
import { createTrust } from './key-list'

const list = (project_id: string, counter: number): KeyListPayload => ({ schema: 1, project_id, counter, keys: [], revoked: [] })

it('the counter of a key list counts in its own project, and a device that returns keeps the counter that it had there', () => {
  let projectId: string | null = 'one'
  let counters: Record<string, number> = {}
  const trust = createTrust(
    [],
    null,
    () => {},
    () => ({ projectId, counters }),
  )
  expect([trust.counter(), trust.counters()]).toEqual([0, {}])
  trust.take(list('one', 5))
  expect(trust.counter()).toBe(5)
  counters = { ...counters, ...trust.counters() }
  projectId = 'two'
  expect(trust.counter()).toBe(0)
  trust.take(list('two', 1))
  expect(trust.counter()).toBe(1)
  counters = { ...counters, ...trust.counters() }
  projectId = 'one'
  expect(trust.counter()).toBe(5)
  projectId = 'two'
  expect(trust.counter()).toBe(1)
  projectId = null
  expect(trust.counter()).toBe(1)
})

it('a device with a key list above what the server can store reports the highest counter, or it would be refused for good', () => {
  const trust = createTrust([], list('one', maxKeyListCounter + 1), () => {})
  expect(trust.counter()).toBe(maxKeyListCounter)
})
