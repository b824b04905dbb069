import { expect, it } from 'vitest'
import { messages } from '../../../contract/core/error-messages'
import { refused } from '../../api/failure'
import { describeFailure, isPlainRefusal, toChangeTitle } from './failure-text'

const planLimit = (error: object) => {
  const body = { error: { code: 'plan_limit', message: 'The plan is full', details: [], request_id: 'r', ...error } }
  return describeFailure(refused(new Response('', { status: 402 }), body).failure)
}

it('a refusal for want of a permission says in words what the server says', () => {
  const message = 'Needs “manage releases”. Roles that have it: owner, admin, developer'
  const error = { code: 'forbidden', message, details: [], request_id: 'r', required_permission: 'project:manage_releases' }
  expect(describeFailure(refused(new Response('', { status: 403 }), { error }).failure)).toBe(message)
})

it('a refusal by the plan is described by the message of the server, which says what it allows and who can change it', () => {
  const message = 'Tokens without an end need the production plan. Create one with a lifetime and revoke this one'
  expect(planLimit({ message, required_plan: 'production' })).toBe(message)
})

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
