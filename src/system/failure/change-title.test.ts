import { expect, it } from 'vitest'
import { messages } from '../../../contract/core/error-messages'
import { isPlainRefusal, toChangeTitle } from './change-title'

const fault = 'Something Went Wrong, Please Try Again Later'
const named: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Unauthorized',
  404: 'The Requested Resource Cannot Be Found',
}
const codes = [...Object.keys(messages), 'unknown', 'already_held', 'in_use'].filter((code) => !code.startsWith('idempotency_'))
const statuses = Array.from({ length: 200 }, (_, index) => 400 + index)
const isFault = (status: number) => status >= 500 || status === 408 || status === 429

it('a change that is refused has the title of a fault only if another try can help, whatever the status and the code', () => {
  for (const status of statuses)
    for (const code of codes) {
      const title = named[status] ?? (isFault(status) ? fault : 'Nothing was changed')
      expect([status, code, toChangeTitle({ status, code })]).toEqual([status, code, title])
      expect(isPlainRefusal({ status, code })).toBe(title === 'Nothing was changed')
    }
})

it.each([
  [0, 'network_error', 'An error occurred, please try again later.'],
  [0, 'timeout', 'An error occurred, please try again later.'],
  // It is still running.
  [409, 'idempotency_in_progress', fault],
  // The first try was carried out.
  [422, 'idempotency_mismatch', undefined],
])('a change that fails with %i %s is titled %s', (status, code, title) => {
  expect(toChangeTitle({ status, code })).toBe(title)
})
