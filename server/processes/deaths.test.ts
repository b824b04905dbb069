import { expect, it } from 'vitest'
import { createDeathCount } from './deaths'

it('each of four deaths within a minute doubles the wait before the next start, and the fifth is the last', () => {
  let now = 0
  const count = createDeathCount(() => (now += 10_000))
  const deaths = Array.from({ length: 5 }, () => count())
  expect(deaths.map(({ waitMs }) => waitMs)).toEqual([100, 200, 400, 800, 1600])
  expect(deaths.map(({ isLast }) => isLast)).toEqual([false, false, false, false, true])
})

it('deaths of more than a minute ago are forgotten', () => {
  let now = 0
  const count = createDeathCount(() => (now += 16_000))
  for (let n = 0; n < 20; n++) expect(count()).toMatchObject({ isLast: false })
})
