import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'drizzle-orm'
import { assert } from 'superstruct'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { exportDevices } from '../../../../contract/fleet/device-exports'
import { createDevice, Device } from '../../../../contract/fleet/devices'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import type { Person } from '../../../../tests/support/people'
import { seedDevices } from '../../../seed/large.repository'
import { exported } from './export'
import { getProjectSettings } from '../../../accounts/projects/plan-and-settings.repository'

const COUNT = 12_000
const pageSize = 500

let api: TestApi
let ann: Person
let projectId: string

beforeAll(async () => {
  api = await createTestApi()
  ann = await api.person()
  projectId = await api.project({ ownerId: ann.id })
  await seedDevices(api.db, { projectId, devices: COUNT, now: api.deps.clock() })
})
afterAll(() => api.close())

const linesOf = (text: string) => text.trimEnd().split(/\r?\n/)

it('contains each device of the filter once, over several pages, in NDJSON as the API has it', async () => {
  const query = { format: 'ndjson', version_lt: 4, 'attr.os_name': 'Linux' } as const
  const { text, headers } = await api.call(exportDevices, { projectId }, { as: ann, query })
  expect(headers['content-disposition']).toMatch(/^attachment; filename="devices-[\d-]{10}\.ndjson"$/)
  const found = linesOf(text).map((line): unknown => JSON.parse(line))
  const names = found.map((one) => {
    assert(one, Device)
    return one.name
  })
  const { rows } = await api.db.execute<{ name: string }>(sql`
    select name from devices where project_id = ${projectId} and installed_version < 4 order by lower(name)`)
  expect(rows.length).toBeGreaterThan(2 * pageSize)
  expect(names).toEqual(rows.map(({ name }) => name))
})

it('as CSV begins with the same columns whatever is filtered, and runs no formula in a spreadsheet', async () => {
  const other = await api.project({ ownerId: ann.id }, 'Other')
  const first = 'id,name,serial_number,hardware_model,lifecycle,connectivity,last_seen_at,health,version,'
  const empty = await api.call(exportDevices, { projectId: other }, { as: ann, query: {} })
  expect(linesOf(empty.text)).toHaveLength(1)
  expect(empty.text.startsWith(first)).toBe(true)
  const body = { name: '=HYPERLINK("http://x.example","a, b")', hardware_model: 'gw' }
  const { body: made } = await api.call(createDevice, { projectId: other }, { as: ann, body })
  const { text } = await api.call(exportDevices, { projectId: other }, { as: ann, query: { format: 'csv', q: 'hyper' } })
  const [head = '', row = ''] = linesOf(text)
  expect(head.startsWith(first)).toBe(true)
  expect(row.startsWith(`${made.id},"'=HYPERLINK(""http://x.example"",""a, b"")",,gw,`)).toBe(true)
})

it('reads no more from the database than its reader takes, and nothing after it was cancelled', async () => {
  const read = vi.spyOn(api.deps.db, 'select')
  try {
    const project = { id: projectId, settings: await getProjectSettings(api.db, projectId) }
    const file = exported({ tx: api.deps.db, project, now: api.deps.clock() }, {}, 'ndjson')
    const [first] = (await once(file, 'data')) as [string]
    expect(linesOf(first)).toHaveLength(pageSize)
    file.destroy()
    await once(file, 'close')
    const before = read.mock.calls.length
    await api.db.execute(sql`select 1`)
    // Each page is three statements: the rows, their tags, and the keys of the project.
    expect(before).toBeLessThan(3 * (COUNT / pageSize))
    expect(read.mock.calls.length).toBe(before)
  } finally {
    read.mockRestore()
  }
})

it('ends on the server when the client goes away', async () => {
  const read = vi.spyOn(api.deps.db, 'select')
  await api.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = api.app.server.address() as AddressInfo
  const headers = { 'x-session-token': ann.token, host: new URL(api.config.urls.api).host }
  const request = get({ port, path: `/projects/${projectId}/devices/export?format=ndjson`, headers })
  const [reply] = (await once(request, 'response')) as [IncomingMessage]
  expect(reply.statusCode).toBe(200)
  await once(reply, 'data')
  request.destroy()
  // Waits for the end of each request.
  await api.app.close()
  expect(read.mock.calls.length).toBeLessThan(3 * (COUNT / pageSize))
})
