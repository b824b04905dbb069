import { environmentManager, QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { chooseInterval } from '../../api/refresh'
import { createFollowedLists } from './follow-lists'

// Without `window`, TanStack Query assumes a server and never refetches.
beforeAll(() => environmentManager.setIsServer(() => false))
afterAll(() => environmentManager.setIsServer(() => true))

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const watch = (client: QueryClient, name: string, refetchInterval: number | false, answerMs = 0) => {
  const reads = { count: 0 }
  const queryFn = async () => {
    reads.count += 1
    await new Promise((resolve) => setTimeout(resolve, answerMs))
    return reads.count
  }
  const observer = new QueryObserver(client, { queryKey: [name], queryFn, refetchInterval, staleTime: Infinity })
  const unsubscribe = observer.subscribe(() => {})
  return { reads, unsubscribe }
}

it('refetches what is open and refreshes by itself, at most once a second, and again after an answer under way', async () => {
  const client = new QueryClient()
  const list = watch(client, 'list', 600_000)
  const form = watch(client, 'form', false)
  const account = watch(client, 'self', 600_000)
  const slow = watch(client, 'slow', 600_000, 2500)
  const closed = watch(client, 'closed', 600_000)
  await vi.advanceTimersByTimeAsync(10)
  closed.unsubscribe()
  const counts = () => [list, form, account, slow, closed].map(({ reads }) => reads.count)
  expect(counts()).toEqual([1, 1, 1, 1, 1])

  const lists = createFollowedLists(client)
  for (let n = 0; n < 5; n++) lists.changed()
  await vi.advanceTimersByTimeAsync(900)
  expect(counts()).toEqual([2, 1, 1, 1, 1])
  lists.changed()
  await vi.advanceTimersByTimeAsync(200)
  expect(counts()).toEqual([3, 1, 1, 1, 1])
  await vi.advanceTimersByTimeAsync(3000)
  expect(counts()).toEqual([3, 1, 1, 2, 1])

  lists.changed()
  // The answer of the slow one is still under way.
  lists.stop()
  await vi.advanceTimersByTimeAsync(3000)
  expect(counts()).toEqual([4, 1, 1, 2, 1])
  client.clear()
})

it('refetches nothing after changes while the user has chosen an interval', async () => {
  const client = new QueryClient()
  const list = watch(client, 'list', 600_000)
  await vi.advanceTimersByTimeAsync(10)
  const lists = createFollowedLists(client)
  chooseInterval(60_000)
  lists.changed()
  await vi.advanceTimersByTimeAsync(3000)
  expect(list.reads.count).toBe(1)
  chooseInterval(undefined)
  lists.changed()
  await vi.advanceTimersByTimeAsync(10)
  expect(list.reads.count).toBe(2)
  lists.stop()
  client.clear()
})
