import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { count } from './rates'

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
