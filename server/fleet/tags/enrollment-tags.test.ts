import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createEnrollmentToken, enrollmentTokens, revokeEnrollmentToken } from '../../../contract/fleet/enrollment-tokens'
import { createTag, deleteTag, tag as tagEndpoint } from '../../../contract/fleet/tags'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import type { Person } from '../../../tests/support/people'
import { formatTimestamp } from '../../core/timestamps'

let api: TestApi
let ann: Person
let projectId: string
let tagId: string
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())
beforeEach(async () => {
  ann = await api.person()
  projectId = await api.project({ ownerId: ann.id })
  tagId = (await api.call(createTag, { projectId }, { as: ann, body: { name: 'line-3', colour: 'sky' } })).body.id
})

const createToken = async (facts: { expires_at?: string } = {}) => {
  const body = { name: 'Factory', kind: 'group' as const, default_tags: ['line-3'], ...facts }
  const made = await api.call(createEnrollmentToken, { projectId }, { as: ann, body })
  expect(made.status, made.text).toBe(201)
  return made.body.id
}
const usedByTokens = async () => (await api.call(tagEndpoint, { tagId }, { as: ann })).body.used_by_enrollment_tokens
const remove = (query: { force?: boolean } = {}) =>
  api.call(deleteTag, { tagId }, { as: ann, query, headers: { 'if-match': '"1"' } })

it('a tag that an enrollment token gives to new devices is not deleted unasked, and then the token gives it no more', async () => {
  const id = await createToken()
  expect(await usedByTokens()).toBe(1)
  expect((await remove()).error).toMatchObject({ code: 'in_use', about: { devices: 0, rollouts: 0, enrollment_tokens: 1 } })
  expect((await remove({ force: true })).status).toBe(204)
  const { body } = await api.call(enrollmentTokens, { projectId }, { as: ann })
  expect(body.enrollment_tokens).toMatchObject([{ id, default_tags: [], state: 'active' }])
})

it('a token that was revoked, or has expired, keeps no tag from being deleted', async () => {
  const enrollmentTokenId = await createToken()
  await createToken({ expires_at: formatTimestamp(new Date(api.deps.clock().getTime() + 3_600_000)) })
  expect(await usedByTokens()).toBe(2)
  await api.call(revokeEnrollmentToken, { enrollmentTokenId }, { as: ann })
  expect(await usedByTokens()).toBe(1)
  api.advance(3600)
  expect(await usedByTokens()).toBe(0)
  expect((await remove()).status).toBe(204)
})
