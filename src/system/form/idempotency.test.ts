import { expect, it } from 'vitest'
import { refused, unanswered } from '../../api/failure'
import { createKeys } from './idempotency'

const counting = () => {
  let n = 0
  return createKeys(() => `key-${(n += 1)}`)
}
const lost = unanswered('network_error', undefined)
const refusal = (status: number, code: string) =>
  refused(new Response('', { status }), { error: { code, message: 'No', details: [], request_id: 'r' } })

it('keeps a key until it was answered', () => {
  const keys = counting()
  expect([keys.current(), keys.current()]).toEqual(['key-1', 'key-1'])
  keys.spend()
  expect(keys.current()).toBe('key-2')
})
it('makes another key after a refusal', () => {
  const keys = counting()
  keys.current()
  keys.failed(refusal(409, 'conflict'))
  expect(keys.current()).toBe('key-2')
})
it('keeps the key of a lost answer through refusals, until one says that it was used', () => {
  const keys = counting()
  for (const error of [lost, refusal(422, 'invalid'), refusal(429, 'too_many_requests')]) {
    keys.current()
    keys.failed(error)
  }
  expect(keys.current()).toBe('key-1')
  keys.failed(refusal(422, 'idempotency_mismatch'))
  expect(keys.current()).toBe('key-2')
})
