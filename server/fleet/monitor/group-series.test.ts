import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MetricGrouping, projectMetrics } from '../../../contract/overview/monitor'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { insertDevice } from '../devices/repository'
import { devices, deviceTags } from '../schema/devices'
import { tags } from '../schema/tags'
import { insertTag } from '../tags/repository'
import { insertMetrics } from '../telemetry/metrics.repository'
import { rollUp } from '../telemetry/roll-up.repository'

let api: TestApi
let from: number
const minute = 60_000
const name = 'app.queue_length'

beforeAll(async () => {
  api = await createTestApi()
  from = Math.floor(api.deps.clock().getTime() / 3_600_000 - 1) * 3_600_000
})
afterAll(() => api.close())

type Facts = {
  model?: string
  version?: number
  displayVersion?: string
  tagIds?: string[]
  values: readonly [ms: number, value: number][]
}
let made = 0

const createProject = async () => {
  const ann = await api.person()
  const projectId = await api.project({ ownerId: ann.id })
  const now = api.deps.clock()
  const add = async ({ model = 'gw', version, displayVersion, tagIds = [], values }: Facts) => {
    const facts = { hardwareModel: model, lifecycle: 'active', enrollment: 'single' } as const
    const { id } = await insertDevice(api.db, { projectId, name: `Device ${made++}`, ...facts }, now)
    const installed = { installedVersion: version ?? null, installedDisplayVersion: displayVersion ?? null }
    await api.db.update(devices).set(installed).where(eq(devices.id, id))
    for (const tagId of tagIds) await api.db.insert(deviceTags).values({ projectId, deviceId: id, tagId })
    const points = values.map(([ms, value]) => ({ name, unit: null, tsMs: from + ms, value }))
    await insertMetrics(api.db, [{ owner: { projectId, deviceId: id }, points, areNew: true, latest: null, before: null }])
  }
  const ask = async (group_by: MetricGrouping, query: Record<string, string | number> = {}) => {
    const all = { names: name, from, to: from + 15 * minute, step_s: 300, group_by, ...query }
    return api.call(projectMetrics, { projectId }, { as: ann, query: all })
  }
  const read = async (...asked: Parameters<typeof ask>) => {
    const { status, body, text } = await ask(...asked)
    expect(status, text).toBe(200)
    return body.series.map(({ labels, points }) => [labels, points.map(([, value]) => value)] as const)
  }
  const addTag = (tag: string) => insertTag(api.db, projectId, { name: tag, colour: 'sky' }, now)
  const summed = () => rollUp(api.db, now)
  return { projectId, add, addTag, ask, read, summed }
}

describe('metrics by group', () => {
  it('have a series for each model, release or tag, with gaps where its devices reported nothing', async () => {
    const { add, addTag, read, summed } = await createProject()
    const [east, old] = [await addTag('east'), await addTag('old')]
    await add({
      model: 'gw',
      version: 2,
      displayVersion: '2.0',
      tagIds: [east],
      values: [
        [0, 10],
        [10 * minute, 40],
      ],
    })
    await add({ model: 'gw', version: 1, tagIds: [east, old], values: [[minute, 20]] })
    await add({ model: 'cam', values: [[6 * minute, 90]] })
    await summed()
    expect(await read('model')).toEqual([
      [{ model: 'gw' }, [15, null, 40]],
      [{ model: 'cam' }, [null, 90, null]],
    ])
    expect(await read('release')).toEqual([
      [{ release: '2.0' }, [10, null, 40]],
      [{ release: '' }, [null, 90, null]],
      [{ release: '1' }, [20, null, null]],
    ])
    const byTag = await read('tag')
    expect(byTag).toHaveLength(3)
    expect(byTag).toEqual(
      expect.arrayContaining([
        [{ tag: 'east' }, [15, null, 40]],
        [{ tag: 'old' }, [20, null, null]],
        [{ tag: '' }, [null, 90, null]],
      ]),
    )
    expect(await read('none')).toEqual([[{}, [15, 90, 40]]])
    await api.db.delete(tags).where(eq(tags.id, old))
    expect((await read('tag')).map(([labels]) => labels)).not.toContainEqual({ tag: 'old' })
  })

  it('add up over several batches, and to hours', async () => {
    const { add, read, summed } = await createProject()
    await add({ model: 'a', values: [[0, 10]] })
    await summed()
    await add({
      model: 'a',
      values: [
        [0, 30],
        [40 * minute, 80],
      ],
    })
    await summed()
    expect(await read('model')).toEqual([[{ model: 'a' }, [20, null, null]]])
    expect(await read('model', { to: from + 120 * minute, step_s: 3600 })).toEqual([[{ model: 'a' }, [40, null]]])
  })

  it('are those with the most values and the rest as one, where only some are wanted', async () => {
    const { add, read, ask, summed } = await createProject()
    for (let n = 1; n <= 21; n++)
      await add({ model: `m${String(n).padStart(2, '0')}`, values: Array.from({ length: 22 - n }, (_, at) => [at * 1000, n]) })
    await summed()
    const { status, error } = await ask('model')
    expect([status, error.code]).toEqual([422, 'too_many_series'])
    const top = await read('model', { top: 2 })
    expect(top.map(([labels]) => labels)).toEqual([{ model: 'm01' }, { model: 'm02' }, { other: true }])
    expect(top.slice(0, 2).map(([, [first]]) => first)).toEqual([1, 2])
    // Each n of 3 to 21 was reported 22 - n times.
    const rest = Array.from({ length: 19 }, (_, n) => n + 3)
    const count = rest.reduce((sum, n) => sum + 22 - n, 0)
    const mean = rest.reduce((sum, n) => sum + n * (22 - n), 0) / count
    expect(top[2]?.[1]?.[0]).toBeCloseTo(mean, 9)
    const [lowest] = (await read('model', { top: 2, agg: 'min' })).at(-1)?.[1] ?? []
    expect(Math.abs(Number(lowest) - 3)).toBeLessThan(0.06)
    expect((await ask('model', { top: 10, agg: 'p50,p95' })).status).toBe(422)
  })

  it('have no rest by tag, because a device has several', async () => {
    const { add, addTag, read, summed } = await createProject()
    const ids = [await addTag('a'), await addTag('b'), await addTag('c')]
    for (const [n] of ids.entries()) await add({ tagIds: ids.slice(0, n + 1), values: [[0, n]] })
    await summed()
    expect((await read('tag', { top: 2 })).map(([labels]) => labels)).toEqual([{ tag: 'a' }, { tag: 'b' }])
  })
})
