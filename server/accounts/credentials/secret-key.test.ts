import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { seal } from '../../core/tokens/seal'
import { reportOtherSecretKey } from './secret-key'
import { upsertSecondFactor } from './second-factor/repository'

const secretKey = randomBytes(32).toString('base64')
let api: TestApi

beforeAll(async () => {
  api = await createTestApi({ TEASEL_SECRET_KEY: secretKey })
  const { id: userId } = await api.person()
  const sealedSecret = await seal(api.db, api.deps, userId, 'secret')
  await upsertSecondFactor(api.db, { userId, sealedSecret, createdAt: api.deps.clock(), lastStep: 0 })
})
afterAll(() => api.close())
beforeEach(() => void api.lines.splice(0))

it.each([
  ['the key with which secrets were encrypted', secretKey, 0],
  ['another key', randomBytes(32).toString('base64'), 1],
  ['no key', undefined, 1],
])('a start with %s logs an error only if they cannot be read', async (_, key, count) => {
  await reportOtherSecretKey({ ...api.deps, config: { ...api.config, secretKey: key } })
  expect(api.lines.filter((line) => line.includes('TEASEL_SECRET_KEY'))).toHaveLength(count)
  expect(api.lines.join('')).not.toContain(secretKey)
})

it('a start without TEASEL_SECRET_KEY reads what it has encrypted with the key of the database', async () => {
  const deps = { ...api.deps, config: { ...api.config, secretKey: undefined } }
  const { id: userId } = await api.person()
  const sealedSecret = await seal(api.db, deps, userId, 'secret')
  await upsertSecondFactor(api.db, { userId, sealedSecret, createdAt: api.deps.clock(), lastStep: 0 })
  await reportOtherSecretKey(api.deps)
  expect(api.lines).toEqual([])
})
