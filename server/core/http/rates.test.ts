import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { rateWindows } from '../database/schema/plumbing'
import { count, createRateCounts } from './rates'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

const minute = new Date('2026-06-01T12:01:00.000Z')
const after = (ms: number) => new Date(minute.getTime() + ms)

it('a host whose clock is slightly behind counts in the minute that the others have begun', async () => {
  const counted = []
  for (let n = 0; n < 6; n++) counted.push(await count(api.db, 'turn', after(n % 2 === 0 ? 0 : -1)))
  expect(counted).toEqual([1, 2, 3, 4, 5, 6])
})

it('a window in the future delays no request', async () => {
  await count(api.db, 'ahead', after(3_600_000))
  expect(await count(api.db, 'ahead', minute)).toBe(1)
  expect(await count(api.db, 'ahead', after(59_999))).toBe(2)
  expect(await count(api.db, 'ahead', after(60_000))).toBe(1)
})

const storedCount = async (key: string) =>
  (await api.db.select({ n: rateWindows.count }).from(rateWindows).where(eq(rateWindows.key, key)))[0]?.n

it('a few requests of a large limit write nothing', async () => {
  const counted = createRateCounts(api.db)
  for (let n = 1; n <= 29; n++) expect(await counted({ key: 'few', most: 600, now: minute })).toBe(n)
  expect(await storedCount('few')).toBeUndefined()
  expect(await counted({ key: 'few', most: 600, now: minute })).toBe(30)
  expect(await storedCount('few')).toBe(30)
  expect(await counted({ key: 'few', most: 600, now: after(60_000) })).toBe(1)
})

it('hosts let through less than a twentieth of the limit more for each further host, also at once', async () => {
  const hosts = [createRateCounts(api.db), createRateCounts(api.db), createRateCounts(api.db)]
  const used = await Promise.all(Array.from({ length: 900 }, (_, n) => hosts[n % 3]!({ key: 'many', most: 200, now: minute })))
  const passed = used.filter((n) => n <= 200).length
  expect(passed).toBeGreaterThanOrEqual(200)
  expect(passed).toBeLessThan(200 + 2 * 10)
})

it('hosts count a small limit exactly together', async () => {
  const hosts = [createRateCounts(api.db), createRateCounts(api.db)]
  const used = []
  for (let n = 0; n < 8; n++) used.push(await hosts[n % 2]!({ key: 'small', most: 39, now: minute }))
  expect(used).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
})
