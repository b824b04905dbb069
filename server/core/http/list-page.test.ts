import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createPersonalProject } from '../../../contract/accounts/project-changes'
import { createTag } from '../../../contract/fleet/tags'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { listTags } from '../../fleet/tags/repository'
import { tags } from '../../fleet/schema/tags'

let api: TestApi
let projectId: string
let emptyId: string
const time = new Date('2030-01-01T00:00:00.123Z')

beforeAll(async () => {
  api = await createTestApi()
  const ann = await api.person()
  projectId = (await api.call(createPersonalProject, {}, { as: ann, body: { name: 'Gateways' } })).body.id
  emptyId = (await api.call(createPersonalProject, {}, { as: ann, body: { name: 'Empty' } })).body.id
  for (const name of ['a', 'b', 'c']) await api.call(createTag, { projectId }, { as: ann, body: { name, colour: 'moss' } })
  await api.ownerDb.update(tags).set({ createdAt: time }).where(eq(tags.projectId, projectId))
})
afterAll(() => api.close())

const list = (query: Parameters<typeof listTags>[2], id = projectId) => api.db.transaction((tx) => listTags(tx, id, query))
const decode = (cursor: string | null): unknown => JSON.parse(Buffer.from(cursor ?? '', 'base64url').toString())

it('a list without rows has one empty page', async () => {
  expect(await list({}, emptyId)).toEqual({ rows: [], next_cursor: null, total: 0 })
})

it('a page that holds exactly all rows has no next page, and one of fewer rows has', async () => {
  expect((await list({ limit: 3 })).next_cursor).toBeNull()
  const { rows, next_cursor, total } = await list({ limit: 2 })
  expect([rows.map(({ name }) => name), total]).toEqual([['a', 'b'], 3])
  expect(decode(next_cursor)).toEqual(['b', rows[1]?.id])
})

it('rows of one time are listed once each in the order of their ids, in both directions, and a cursor holds the time', async () => {
  const { rows: all } = await list({ sort: 'created_at' })
  for (const sort of ['created_at', '-created_at']) {
    const ids: string[] = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await list({ sort, limit: 1, ...(cursor !== undefined && { cursor }) })
      ids.push(...page.rows.map(({ id }) => id))
      if (page.next_cursor !== null) expect(decode(page.next_cursor)).toEqual([time.toISOString(), ids.at(-1)])
      expect(page.total).toBe(3)
      cursor = page.next_cursor
    }
    const inOrder = all.map(({ id }) => id).toSorted()
    expect(ids).toEqual(sort === 'created_at' ? inOrder : inOrder.toReversed())
  }
})
