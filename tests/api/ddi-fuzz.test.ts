import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as ddi from '../../contract/ddi/endpoints'
import { type Endpoint, pathOf } from '../../contract/core/endpoint'
import { createTestApi, type TestApi } from '../support/api'
import { badBody, badTexts } from '../support/bad-values'
import { repetitions } from '../support/counts'
import { createDdiScene, type DdiScene } from '../support/ddi/scene'
import { within } from '../support/machine-load'

let api: TestApi
let scene: DdiScene
beforeAll(async () => {
  api = await createTestApi()
  scene = await createDdiScene(api)
})
afterAll(() => api.close())

const text = fc.constantFrom(...badTexts)
const inPath = text.filter((value) => value !== '' && value.isWellFormed())
const inHeader = text.filter((value) => /^[\x20-\x7e]*$/.test(value))
const report = { id: '1', status: { execution: 'proceeding', result: { finished: 'none' }, details: ['Downloaded 5%'] } }
const samples: Readonly<Record<string, unknown>> = {
  putConfigData: { mode: 'merge', data: { sw_version: '1.0.0' } },
  putInstalledBase: { name: 'os', version: '1.0.0' },
}

type Bad = { path?: Record<string, string>; query?: Record<string, string>; headers?: Record<string, string>; body?: unknown }
const requests = (sample: unknown): fc.Arbitrary<Bad> =>
  fc.oneof(
    fc.record({
      path: fc.tuple(fc.constantFrom('actionId', 'artifactName'), inPath).map(([name, value]) => ({ [name]: value })),
    }),
    fc.record({ query: fc.tuple(fc.constantFrom('actionHistory', 'c', 'x'), text).map(([name, value]) => ({ [name]: value })) }),
    fc.record({
      headers: fc
        .tuple(fc.constantFrom('range', 'if-range', 'content-type', 'user-agent', 'accept', 'content-encoding'), inHeader)
        .map(([name, value]) => ({ [name]: value })),
    }),
    { weight: 4, arbitrary: fc.record({ body: badBody(undefined, sample as Record<string, unknown>) }) },
    { weight: 2, arbitrary: fc.record({ body: fc.string({ maxLength: 200 }) }) },
  )

const all = Object.entries(ddi) as [string, Endpoint][]

it('bad requests to DDI cause no server error, and a refused report moves no state', { timeout: within(600_000) }, async () => {
  const [device] = await scene.join(1)
  if (!device) throw new Error('no device')
  const release = await scene.release(randomBytes(5000))
  await scene.start(release.id, [device])
  const { token } = await scene.gateway()
  expect(token).toMatch(/^enr_/)
  const { action } = await device.poll()
  const statuses = new Map<number, number>()
  const states = async () => JSON.stringify([await device.update(), (await device.row()).attributes])
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...all), fc.nat(), async ([name, endpoint], seed) => {
      const sample = samples[name] ?? report
      const [bad] = fc.sample(requests(sample), { numRuns: 1, seed })
      const { path = {}, query, headers = {}, body } = bad ?? {}
      const before = await states()
      const url = pathOf(endpoint.path, {
        tenant: 'DEFAULT',
        controllerId: device.id,
        actionId: action,
        artifactName: 'app.bin',
        ...path,
      })
      const sent = body === undefined ? sample : body
      const answer = await device.call(`${url}${query ? `?${new URLSearchParams(query).toString()}` : ''}`, {
        method: endpoint.method as 'GET' | 'POST' | 'PUT',
        headers,
        ...(endpoint.method !== 'GET' && { payload: typeof sent === 'string' ? sent : (JSON.stringify(sent) ?? '') }),
      })
      statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1)
      if (answer.statusCode >= 500)
        throw new Error(`${name} ${answer.statusCode} ${answer.payload}\n${api.lines.slice(-2).join('').slice(0, 2000)}`)
      if (answer.statusCode >= 400) expect(await states()).toBe(before)
    }),
    { numRuns: repetitions(500, 10_000), seed: 12 },
  )
  expect([...statuses.keys()].toSorted()).toEqual(expect.arrayContaining([200, 400, 404]))
})

it(
  'the largest report of the worst form costs a small multiple of reading it, and a larger one is refused',
  { timeout: within(600_000) },
  async () => {
    const [device] = await scene.join(1)
    const url = `${device?.at}/deploymentBase/1000000001/feedback`
    const start = '{"status":{"execution":"proceeding","result":{"finished":"none"},'
    const forms = ['"details":[', '"details" : [ ]', '"execution" : ', '"', '","', '[', ' ', ']  ', '"details"    ']
    const cost = async (payload: string) => {
      const times: number[] = []
      for (let n = 0; n < 3; n++) {
        const before = process.cpuUsage()
        const answer = await device?.call(url, { method: 'POST', payload })
        expect(answer?.statusCode).toBe(404)
        const { user, system } = process.cpuUsage(before)
        times.push((user + system) / 1000)
      }
      return Math.min(...times)
    }
    const fill = (form: string, bytes: number) => start + form.repeat((bytes - start.length) / form.length)
    for (const form of forms) {
      const plain = await cost(fill('x', 65_536))
      expect((await cost(fill(form, 65_536))) / (plain + 10), form).toBeLessThan(8)
    }
    expect((await device?.call(url, { method: 'POST', payload: fill('x', 65_537) }))?.statusCode).toBe(413)
  },
)
