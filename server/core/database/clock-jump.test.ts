import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createPersonalProject } from '../../../contract/accounts/project-changes'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { trimByAge } from '../../accounts/audit/watch'
import { startJobs } from '../../jobs'
import { openAnchors } from '../audit/anchor'
import { daysAfter, daysBefore, secondsAfter } from '../days'
import { ClockJump, nextClockReading, requireSteadyClock } from './clock-jump'
import { within } from '../../../tests/support/machine-load'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

const start = new Date('2026-03-01T00:00:00Z')
const steady = (at: Date) => ({ readAt: at, trustedAt: at, jumpedAt: null })
const after = (...times: Date[]) => {
  const [first = start, ...rest] = times
  return rest.reduce(nextClockReading, steady(first))
}

it('a clock that goes on, or stood still for a week, is believed', () => {
  expect(nextClockReading(undefined, start)).toEqual(steady(start))
  expect(after(start, daysAfter(start, 7))).toEqual(steady(daysAfter(start, 7)))
  expect(after(start, daysBefore(start, 7))).toEqual(steady(daysBefore(start, 7)))
})

it.each([7000, -7000])('a clock that moved by %s days is not believed until it is set right again', (days) => {
  const jumped = daysAfter(start, days)
  const later = daysAfter(jumped, 2)
  expect(after(start, jumped, later)).toEqual({ readAt: later, trustedAt: start, jumpedAt: jumped })
  expect(after(start, jumped, later, daysAfter(start, 3))).toEqual(steady(daysAfter(start, 3)))
})

it('a clock that has jumped is believed once it has gone on for a week, but not by another jump', () => {
  const jumped = daysAfter(start, 30)
  const days = Array.from({ length: 7 }, (_, n) => daysAfter(jumped, n + 1))
  expect(after(start, jumped, ...days.slice(0, 6)).jumpedAt).toEqual(jumped)
  expect(after(start, jumped, ...days)).toEqual(steady(daysAfter(jumped, 7)))
  const again = daysAfter(jumped, 7000)
  expect(after(start, jumped, again)).toEqual({ readAt: again, trustedAt: start, jumpedAt: again })
})

it('while the clock of the database has jumped no job deletes by age, and each says why', async () => {
  const count = async () => {
    const { rows } = await api.deps.pool.query<{ sessions: number; chains: number; parts: number }>(
      `select (select count(*)::int from sessions) as sessions, (select count(*)::int from audit_entries) as chains,
         (select count(*)::int from pg_inherits where inhparent = 'device_logs'::regclass) as parts`,
    )
    return rows[0]
  }
  // Nothing is stored of a new installation: a backup could not be restored into it.
  await requireSteadyClock(api.db, start)
  expect((await api.deps.pool.query('select from clock_readings')).rowCount).toBe(0)
  const ann = await api.person()
  await api.call(createPersonalProject, {}, { as: ann, body: { name: 'Fleet' } })
  const now = api.deps.clock()
  await requireSteadyClock(api.db, now)
  const before = await count()
  expect(before?.sessions).toBe(1)

  const failed: string[] = []
  const countJobRun = ({ job, isDone }: { job: string; isDone: boolean }) => void (isDone || failed.push(job))
  const metrics = { countJobRun, watchPool: () => {} } as unknown as NonNullable<typeof api.deps.metrics>
  const jobs = await startJobs({ ...api.deps, metrics, clock: () => daysAfter(now, 7000) })
  await expect
    .poll(() => failed.toSorted(), { timeout: within(30_000) })
    .toEqual(['invites', 'plumbing', 'retention', 'sign-ins', 'uploads'])
  await jobs.stop()
  // The partitions for the new time are there.
  expect(await count()).toEqual({ ...before, parts: (before?.parts ?? 0) + 9 })
  expect(api.lines.filter((line) => line.includes('ALARM: the clock of the database jumped from'))).toHaveLength(5)
  await requireSteadyClock(api.db, secondsAfter(now, 60))
})

it('retention does not trim the audit log while the clock of the database has jumped', async () => {
  await api.deps.pool.query(`update clock_readings set trusted_at = now() - interval '7000 days', read_at = trusted_at`)
  const watch = { db: api.ownerDb, anchors: await openAnchors(api.config.dataDirectory), log: api.deps.log, now: vi.fn() }
  await expect(trimByAge(watch)).rejects.toThrow(ClockJump)
})
