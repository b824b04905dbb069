import { expect, it } from 'vitest'
import { describeBulkChange } from './bulk-change-text'

it('a rollout says what is still being done to how many of its devices', () => {
  expect(describeBulkChange({ kind: 'cancel_waiting', left: 49_000 })).toBe(
    '49,000 waiting devices are still to be removed from the rollout. None of them is offered the release. No action is needed.',
  )
  expect(describeBulkChange({ kind: 'retry_failed', left: 1 })).toBe(
    '1 failed device is still to be queued again. No action is needed.',
  )
})
