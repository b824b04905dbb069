import { afterEach, expect, it, vi } from 'vitest'
import { type DatabaseClock, openDatabaseClock } from './clock'

let opened: DatabaseClock | undefined
afterEach(() => opened?.stop())

const start = Date.parse('2026-06-01T12:00:00Z')

/** A database whose clock the test sets, and whose connection the test can cut. */
const database = () => {
  const state = { aheadMs: 0, away: false, asked: 0 }
  const began = performance.now()
  const query = async () => {
    state.asked++
    if (state.away) throw new Error('Connection terminated')
    return { rows: [{ ms: String(start + state.aheadMs + performance.now() - began) }] }
  }
  return { state, source: { query } as never }
}

const near = (clock: () => Date, ms: number) => expect(Math.abs(clock().getTime() - ms)).toBeLessThan(5000)

it("uses the time of the database instead of the host's clock", async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: start - 86_400_000 })
  opened = await openDatabaseClock(database().source)
  near(opened.clock, start)
  vi.useRealTimers()
})

it('follows the clock of the database when it changes, and continues without it while it is unreachable', async () => {
  const { state, source } = database()
  opened = await openDatabaseClock(source, 5)
  const { clock } = opened
  state.aheadMs = 3_600_000
  await expect.poll(() => Math.abs(clock().getTime() - (start + 3_600_000))).toBeLessThan(5000)
  state.away = true
  const asked = state.asked
  await expect.poll(() => state.asked).toBeGreaterThan(asked + 2)
  const before = clock().getTime()
  await expect.poll(() => clock().getTime()).toBeGreaterThan(before)
  near(clock, start + 3_600_000)
})

it('asks the database every ten seconds', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    const { state, source } = database()
    opened = await openDatabaseClock(source)
    const atOpening = state.asked
    await vi.advanceTimersByTimeAsync(9999)
    expect(state.asked).toBe(atOpening)
    await vi.advanceTimersByTimeAsync(1)
    expect(state.asked).toBe(atOpening + 1)
  } finally {
    vi.useRealTimers()
  }
})
