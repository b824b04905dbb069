import { expect, it } from 'vitest'
import { jobDisplay } from './job-text'

const counts = { waiting: 0, done: 3, unchanged: 0, failed: 0, skipped: 0, cancelled: 0 }

it.each([
  [{}, { shape: 'success', word: 'Done' }],
  [{ failed: 1 }, { shape: 'warning', word: 'Done, 1 device failed' }],
  // An undo skips devices that were changed since.
  [
    { done: 0, skipped: 3 },
    { shape: 'warning', word: 'Done, 3 devices skipped' },
  ],
  [
    { failed: 2, skipped: 1 },
    { shape: 'warning', word: 'Done, 2 devices failed' },
  ],
] as const)('a bulk change that has ended with %j is shown as %j', (some, expected) =>
  expect(jobDisplay({ state: 'done', counts: { ...counts, ...some } })).toEqual(expected),
)
