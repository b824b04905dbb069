import { afterEach, expect, it, vi } from 'vitest'
import { onSignals } from './until-signal'

const names = ['SIGINT', 'SIGTERM'] as const
const before = names.map((name) => process.listeners(name))
afterEach(() =>
  names.forEach((name, n) => process.listeners(name).forEach((it) => before[n]?.includes(it) || process.off(name, it))),
)

it('the first signal closes, its echoes do nothing, and a later one hastens; none ends the process', () => {
  let now = 0
  const [leave, hasten] = [vi.fn(), vi.fn()]
  onSignals({ leave, hasten, now: () => now })
  const send = (name: (typeof names)[number]) => process.emit(name, name)
  send('SIGTERM')
  expect(leave.mock.calls).toEqual([['SIGTERM']])
  for (now of [0, 250, 2000]) send('SIGINT')
  expect([leave.mock.calls.length, hasten.mock.calls.length]).toEqual([1, 0])
  for (now of [2001, 60_000]) send('SIGTERM')
  expect([leave.mock.calls.length, hasten.mock.calls.length]).toEqual([1, 2])
})
