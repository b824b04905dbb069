import { afterAll, beforeAll, expect, it } from 'vitest'
import { self } from '../../contract/users'
import { createSession } from '../../contract/sessions'
import { createTestApi, type TestApi } from '../support/api'
import { createSignIn, password } from '../support/sign-in'

let api: TestApi
let host: Awaited<ReturnType<typeof createSignIn>>
beforeAll(async () => {
  api = await createTestApi({
    TEASEL_LIMIT_REQUESTS_PER_MINUTE: '10',
    TEASEL_LIMIT_SIGN_INS_PER_MINUTE: '12',
    TEASEL_LIMIT_PASSWORD_QUEUE: '1',
  })
  host = await createSignIn(api)
  await host.signUp('ines@example.com')
})
afterAll(async () => {
  await host.close()
  await api.close()
})

const email = 'ines@example.com'
const wrong = { email, password: 'not the password' }
const statusesOf = (answers: { status: number }[]) => answers.map(({ status }) => status).toSorted((a, b) => a - b)

it('T-12: after five failures the pair of account and address waits, and nobody else does', async () => {
  const attacker = host.browser('10.0.0.1')
  const tried: number[] = []
  for (let n = 0; n < 7; n++) tried.push((await attacker.submit('/signin', wrong)).status)
  expect(tried).toEqual([401, 401, 401, 401, 401, 429, 429])
  const right = await attacker.submit('/signin', { email, password })
  expect([right.status, right.headers['retry-after']]).toEqual([429, '900'])
  expect((await host.browser('10.0.0.2').submit('/signin', { email, password })).status).toBe(303)
  api.advance(901)
  expect((await attacker.submit('/signin', { email, password })).status).toBe(303)
})

it('T-12: tries at once count as many', async () => {
  const visitor = host.browser('10.0.0.3')
  await visitor.get('/signin')
  const answers = await Promise.all(Array.from({ length: 9 }, () => visitor.submit('/signin', wrong)))
  // Beyond two hashes at once and one that waits, the answer is 429 too: never more than five were looked at.
  expect(answers.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(5)
  expect(new Set(statusesOf(answers))).toEqual(new Set([401, 429]))
})

it('T-12: one address has so many tries a minute, whatever it claims to be (T-32)', async () => {
  const visitor = host.browser('10.0.0.4')
  const statuses: number[] = []
  await visitor.get('/signin')
  for (let n = 0; n < 14; n++) {
    const csrf = /name="csrf" value="([^"]+)"/.exec((await visitor.get('/signin')).text)?.[1] ?? ''
    const form = { csrf, email: `somebody${n}@example.com`, password: 'x'.repeat(12) }
    statuses.push((await visitor.post('/signin', form, { 'x-forwarded-for': `1.2.3.${n}` })).status)
  }
  expect(statuses).toEqual([...Array.from({ length: 12 }, () => 401), 429, 429])
})

it('counts requests of a session, tells what is left, and says when to come back', async () => {
  const ines = await api.person()
  const answers = []
  for (let n = 0; n < 11; n++) answers.push(await api.call(self, {}, { as: ines, headers: { 'x-forwarded-for': `9.9.9.${n}` } }))
  expect(answers.map(({ status }) => status)).toEqual([...Array.from({ length: 10 }, () => 200), 429])
  expect(answers.map(({ headers }) => headers['ratelimit-remaining'])).toEqual([
    '9',
    '8',
    '7',
    '6',
    '5',
    '4',
    '3',
    '2',
    '1',
    '0',
    '0',
  ])
  const last = answers.at(-1)
  expect(last?.error.code).toBe('too_many_requests')
  expect(Number(last?.headers['retry-after'])).toBeGreaterThan(0)
  api.advance(60)
  expect((await api.call(self, {}, { as: ines })).status).toBe(200)
  // Another session has a count of its own.
  expect((await api.call(self, {}, { as: await api.person() })).status).toBe(200)
})

it('limits codes that are tried out from one address', async () => {
  const body = { code: 'c'.repeat(43), code_verifier: 'v'.repeat(43) }
  const answers = []
  for (let n = 0; n < 13; n++) answers.push(await api.call(createSession, {}, { body, from: '10.0.0.5' }))
  expect(answers.at(11)?.status).toBe(400)
  expect(answers.at(12)?.status).toBe(429)
})
