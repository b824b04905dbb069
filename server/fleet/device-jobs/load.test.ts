import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { and, eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import * as contract from '../../../contract/fleet/device-jobs'
import { checkIn } from '../../../contract/device/endpoints'
import { createTag, tags as listTags } from '../../../contract/fleet/tags'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { isFull, repetitions } from '../../../tests/support/counts'
import { checkInBody } from '../../../tests/support/devices'
import { addManyDevices } from '../../../tests/support/many-devices'
import type { Person } from '../../../tests/support/people'
import { startApiProcess } from '../../../tests/support/start-api-process'
import { verify } from '../../core/audit/chain'
import { root } from '../../core/root'
import { issueDeviceToken } from '../devices/device-token.repository'
import { maintainCounts } from '../devices/state/counts'
import { auditEntries } from '../../core/database/schema/audit-entries.partitioned'
import { deviceJobRows } from '../schema/device-jobs'
import { devices, deviceTags } from '../schema/devices'
import { within } from '../../../tests/support/machine-load'

const size = repetitions(500, 50_000)
const figures: Record<string, number> = { devices: size }

let api: TestApi
let ines: Person
let projectId: string

beforeAll(async () => {
  api = await createTestApi()
  // The process uses the real clock.
  api.advance((Date.now() - api.deps.clock().getTime()) / 1000)
  ines = await api.person()
  projectId = await api.project({ ownerId: ines.id })
  await addManyDevices(api, { projectId, count: size, trustedKeys: [] })
  await api.call(createTag, { projectId }, { as: ines, body: { name: 'roof', colour: 'moss' } })
})
afterAll(async () => {
  if (isFull) {
    const folder = join(root, 'test-results')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'bulk-changes.json'), JSON.stringify(figures, null, 2))
  }
  await api.close()
})

const show = async (jobId: string) => (await api.call(contract.deviceJob, { jobId }, { as: ines })).body
const isDone = (jobId: string) =>
  expect.poll(async () => (await show(jobId)).state, { timeout: within(600_000), interval: 200 }).toBe('done')
const countTagged = async () =>
  (
    await api.db
      .select({ n: sql<number>`count(*)::int` })
      .from(deviceTags)
      .where(eq(deviceTags.projectId, projectId))
  )[0]?.n
const startJobs = () => startApiProcess(api, { TEASEL_TEST_JOBS: '1' })

const at = (share: number) => (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0
const [median, p99] = [at(0.5), at(0.99)]

/** Check-ins of devices in turn, until `isOver`; the time of each in ms. */
const checkInUntil = async (tokens: readonly string[], isOver: (count: number) => boolean) => {
  const times: number[] = []
  while (!isOver(times.length)) {
    const begun = performance.now()
    const answer = await api.call(checkIn, {}, { as: tokens[times.length % tokens.length], body: checkInBody() })
    times.push(performance.now() - begun)
    expect(answer.status, answer.text).toBe(200)
  }
  return times
}

it(
  'F-16: a change of many devices goes on after a kill, does none twice, and is undone; devices check in meanwhile',
  { timeout: within(900_000) },
  async () => {
    const some = await api.db
      .select({ id: devices.id })
      .from(devices)
      .where(sql`right(name, 6)::int % ${size / 50} = 0`)
    const tokens = await Promise.all(
      some.map(({ id }) => issueDeviceToken(api.db, { projectId, deviceId: id }, api.deps.clock())),
    )
    await checkInUntil(tokens, (count) => count >= tokens.length)
    const quiet = await checkInUntil(tokens, (count) => count >= repetitions(50, 500))

    const body = { selection: { filter: {} }, expected_count: size, action: 'add_tags' as const, args: { tags: ['roof'] } }
    let begun = performance.now()
    const accepted = await api.call(contract.bulkChangeDevices, { projectId }, { as: ines, body })
    expect(accepted.status, accepted.text).toBe(202)
    figures['accepted ms'] = performance.now() - begun
    const jobId = accepted.body.job_id

    const first = await startJobs()
    onTestFinished(() => void first.child.kill('SIGKILL'))
    // Killed in the middle of some batch after the first.
    const enough = repetitions(0, size / 3)
    await expect
      .poll(async () => (await show(jobId)).counts.done, { timeout: within(120_000), interval: 5 })
      .toBeGreaterThan(enough)
    first.child.kill('SIGKILL')
    await new Promise((resolve) => first.child.once('exit', resolve))
    const { counts, state } = await show(jobId)
    figures['done at the kill'] = counts.done
    expect(counts.done).toBe(await countTagged())
    if (isFull) expect(state).toBe('running')

    const second = await startJobs()
    onTestFinished(() => void second.child.kill('SIGKILL'))
    begun = performance.now()
    let over = false
    const ended = isDone(jobId).finally(() => (over = true))
    const busy = await checkInUntil(tokens, () => over)
    await ended
    figures['rest s'] = (performance.now() - begun) / 1000
    figures['median of check-ins, quiet, ms'] = median(quiet)
    figures['median of check-ins, busy, ms'] = median(busy)
    figures['longest check-in, busy, ms'] = Math.max(...busy)
    figures['p99 of check-ins, quiet, ms'] = p99(quiet)
    figures['p99 of check-ins, busy, ms'] = p99(busy)
    figures['p99 of check-ins, ratio'] = p99(busy) / p99(quiet)
    figures['check-ins while it ran'] = busy.length

    expect((await show(jobId)).counts).toEqual({ waiting: 0, done: size, unchanged: 0, failed: 0, skipped: 0, cancelled: 0 })
    expect(await countTagged()).toBe(size)
    const twice = await api.db
      .select()
      .from(devices)
      .where(and(eq(devices.projectId, projectId), sql`revision <> 2`))
    expect(twice).toEqual([])
    const entries = await api.db
      .select({ target: sql<string>`target ->> 'id'` })
      .from(auditEntries)
      .where(and(eq(auditEntries.chainId, ines.id), eq(auditEntries.action, 'tag.assign')))
    expect(entries).toHaveLength(size)
    expect(new Set(entries.map(({ target }) => target)).size).toBe(size)

    begun = performance.now()
    const undone = await api.call(contract.undoDeviceJob, { jobId }, { as: ines })
    await isDone(undone.body.job_id)
    figures['undo s'] = (performance.now() - begun) / 1000
    expect((await show(undone.body.job_id)).counts).toMatchObject({ done: size, skipped: 0 })
    expect(await countTagged()).toBe(0)
    expect(
      await api.db
        .select()
        .from(deviceJobRows)
        .where(sql`change is null`),
    ).toEqual([])
    await maintainCounts(api.deps)
    expect((await api.call(listTags, { projectId }, { as: ines })).body.tags).toMatchObject([{ name: 'roof', device_count: 0 }])
    expect((await verify(api.ownerDb, ines.id)).whole).toBe(true)
  },
)
