import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Upload } from '../../../contract/updates/uploads'
import type { Api } from '../../api/client'
import { completion } from './completion'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A server that answers with these states, one after the other, and what it was asked for. */
const serverWith = (...states: Upload['state'][]) => {
  const calls: unknown[] = []
  const api = async ({ path }: { path: string }, params: object) => {
    calls.push([path, params])
    return { state: states[calls.length - 1], error: null }
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as much of a client as is called here
  return { calls, api: api as unknown as Api }
}
const call = ['/uploads/:uploadId', { uploadId: 'u' }]

it('asks for the one upload every 500 ms until its file has been checked', async () => {
  const { api, calls } = serverWith('verifying', 'verifying', 'complete')
  const done = vi.fn<() => void>()
  const waited = completion(api, 'u', new AbortController().signal).then(done)
  await vi.advanceTimersByTimeAsync(499)
  expect(calls).toEqual([call])
  await vi.advanceTimersByTimeAsync(501)
  await waited
  expect([calls, done.mock.calls.length]).toEqual([[call, call, call], 1])
})

it.each(['failed', 'expired'] as const)('fails when the upload has %s', async (state) => {
  const { api } = serverWith(state)
  await expect(completion(api, 'u', new AbortController().signal)).rejects.toMatchObject({ status: 422, message: state })
})

it('stops asking when the wait is aborted', async () => {
  const { api, calls } = serverWith('verifying')
  const stop = new AbortController()
  const waited = completion(api, 'u', stop.signal)
  await vi.advanceTimersByTimeAsync(10)
  stop.abort()
  await waited
  expect(calls).toEqual([call])
})
