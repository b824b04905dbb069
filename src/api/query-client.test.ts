import { describe, expect, it } from 'vitest'
import { ApiError, unanswered } from './failure'
import { retryDelay, shouldRetry } from './query-client'

const refusal = (status: number, retryAfterS?: number) =>
  new ApiError({
    status,
    code: 'x',
    message: 'x',
    details: [],
    requestId: undefined,
    requiredPermission: undefined,
    requiredPlan: undefined,
    retryAfterS,
    about: undefined,
  })

describe('R2 what is asked again', () => {
  it.each([0, 1])('no answer: try %d failed, one more', (failed) =>
    expect(shouldRetry(failed, unanswered('network_error', null))).toBe(true),
  )
  it('no answer: at most two more', () => expect(shouldRetry(2, unanswered('network_error', null))).toBe(false))
  it.each([400, 401, 403, 404, 409, 412, 422, 500, 502, 504])('%d never', (status) =>
    expect(shouldRetry(0, refusal(status))).toBe(false),
  )
  it.each([429, 503])('%d by Retry-After', (status) => {
    expect(shouldRetry(0, refusal(status, 3))).toBe(true)
    expect(shouldRetry(2, refusal(status, 3))).toBe(false)
    expect(retryDelay(0, refusal(status, 3), () => 0)).toBe(3000)
  })
  it('does not wait for minutes in silence', () => expect(shouldRetry(0, refusal(429, 600))).toBe(false))
  it('never asks again after a fault of our own', () => expect(shouldRetry(0, new TypeError('x'))).toBe(false))
  it('spreads many tabs', () => expect(retryDelay(1, unanswered('timeout', null), () => 1)).toBe(3000))
})
