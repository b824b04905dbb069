import { expect, it } from 'vitest'
import { createKeys } from './idempotency'

const counting = () => {
  let n = 0
  return createKeys(() => `key-${(n += 1)}`)
}

it('keeps the key of a value until it was answered', () => {
  const keys = counting()
  expect([keys.of({ a: 1 }), keys.of({ a: 1 })]).toEqual(['key-1', 'key-1'])
  keys.spend()
  expect(keys.of({ a: 1 })).toBe('key-2')
})
it('never reuses a key for another request', () => {
  const keys = counting()
  expect([keys.of({ a: 1 }), keys.of({ a: 2 })]).toEqual(['key-1', 'key-2'])
})
