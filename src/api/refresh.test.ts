import { environmentManager, QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { chooseInterval, dueIn, every, paces, setLive } from './refresh'

// Without `window`, TanStack Query assumes a server and never refetches.
beforeAll(() => environmentManager.setIsServer(() => false))
afterAll(() => environmentManager.setIsServer(() => true))

const idle = { dataUpdatedAt: 0, errorUpdatedAt: 0, fetchStatus: 'idle' }

it('counts the interval from the last answer', () => {
  expect(dueIn({ ...idle, dataUpdatedAt: 100_000 }, 10_000, 104_000)).toBe(6000)
})

it('polls the lists that events follow seldom while the stream is open, and data of devices as before', () => {
  const at = (pace: number) => dueIn({ ...idle, dataUpdatedAt: 100_000 }, pace, 100_000)
  expect(setLive(true)).toBe(false)
  expect([at(paces.list), at(paces.fleet)]).toEqual([120_000, 10_000])
  expect(setLive(false)).toBe(true)
  expect(at(paces.list)).toBe(30_000)
})

it.each<[number | false, Record<'fleet' | 'list' | 'chart', number | false>]>([
  [10_000, { fleet: 10_000, list: 10_000, chart: 10_000 }],
  [60_000, { fleet: 60_000, list: 60_000, chart: 60_000 }],
  [300_000, { fleet: 300_000, list: 300_000, chart: 300_000 }],
  [false, { fleet: false, list: false, chart: false }],
])('a chosen interval of %s replaces the paces of lists and charts, but not that of a tail', (choice, expected) => {
  const at = (pace: number) => dueIn({ ...idle, dataUpdatedAt: 100_000 }, pace, 100_000)
  setLive(true)
  chooseInterval(choice)
  expect({ fleet: at(paces.fleet), list: at(paces.list), chart: at(paces.chart) }).toEqual(expected)
  expect(at(paces.log)).toBe(paces.log)
  chooseInterval(undefined)
  setLive(false)
})

it('refetches soon, but not at once, when data is older than its interval', () => {
  expect(dueIn({ ...idle, dataUpdatedAt: 100_000 }, 10_000, 400_000)).toBe(250)
})

it('waits a whole interval after a failure, regardless of the age of the data', () => {
  expect(dueIn({ ...idle, dataUpdatedAt: 100_000, errorUpdatedAt: 400_000 }, 10_000, 400_000)).toBe(10_000)
})

it('does not refetch early while a request is running, or before the first answer', () => {
  expect(dueIn({ ...idle, dataUpdatedAt: 100_000, fetchStatus: 'fetching' }, 10_000, 400_000)).toBe(10_000)
  expect(dueIn(idle, 10_000, 400_000)).toBe(10_000)
})

it('a clock that was set back causes no wait longer than an interval', () => {
  expect(dueIn({ ...idle, dataUpdatedAt: 900_000 }, 10_000, 400_000)).toBe(10_000)
})

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

it('a page opened again within the cache time shows cached data and refetches what is stale', async () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: 300_000, gcTime: 600_000 } } })
  let asked = 0
  const options = {
    queryKey: ['devices'],
    queryFn: () => Promise.resolve((asked += 1)),
    refetchInterval: every(paces.fleet),
  }
  const visit = () => new QueryObserver(client, options).subscribe(() => {})
  const leave = visit()
  await vi.advanceTimersByTimeAsync(0)
  expect(asked).toBe(1)
  leave()
  await vi.advanceTimersByTimeAsync(240_000)
  expect(asked).toBe(1)
  const again = visit()
  await vi.advanceTimersByTimeAsync(249)
  expect(asked).toBe(1)
  await vi.advanceTimersByTimeAsync(10)
  expect(asked).toBe(2)
  await vi.advanceTimersByTimeAsync(9000)
  expect(asked).toBe(2)
  await vi.advanceTimersByTimeAsync(1100)
  expect(asked).toBe(3)
  again()
  client.clear()
})
