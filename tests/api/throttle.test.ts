import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createEnrollmentToken } from '../../contract/fleet/enrollment-tokens'
import { createAccessToken } from '../../contract/accounts/access-tokens'
import { checkIn, enroll } from '../../contract/device/endpoints'
import { createTag, tags } from '../../contract/fleet/tags'
import { self } from '../../contract/accounts/users'
import { createSession, deleteCurrentSession } from '../../contract/accounts/sessions'
import { createToken } from '../../server/core/tokens/token'
import { checkInBody, enrollBody } from '../support/devices'
import { repetitions } from '../support/counts'
import { createTestApi, type TestApi } from '../support/api'
import { createSignIn, password } from '../support/sign-in'
import { within } from '../support/machine-load'

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

it('T-12: after five failures only the pair of account and address waits', async () => {
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

it('T-12: a reset of the password ends the wait of the network that it came from, and of no other', async () => {
  const forgetful = 'forgetful@example.com'
  await host.signUp(forgetful)
  const [visitor, stranger] = [host.browser('10.0.5.1'), host.browser('10.0.5.2')]
  const guess = { email: forgetful, password: 'not the password' }
  for (const one of [visitor, stranger]) for (let n = 0; n < 5; n++) await one.submit('/signin', guess)
  expect((await visitor.submit('/signin', { email: forgetful, password })).status).toBe(429)
  await visitor.submit('/forgot', { email: forgetful })
  const fresh = { email: forgetful, password: 'another lattice entirely' }
  const reset = await visitor.submit(host.linkTo(forgetful, '/reset/'), { password: fresh.password })
  expect(reset.location).toBe('/signin?told=reset')
  expect((await visitor.submit('/signin', fresh)).status).toBe(303)
  expect((await stranger.submit('/signin', fresh)).status).toBe(429)
})

it('T-12: concurrent attempts all count', async () => {
  const visitor = host.browser('10.0.0.3')
  await visitor.get('/signin')
  const answers = await Promise.all(Array.from({ length: 9 }, () => visitor.submit('/signin', wrong)))
  // With two hashes at once and one in the queue, further requests get 429: never more than five passwords were checked.
  expect(answers.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(5)
  expect(new Set(statusesOf(answers))).toEqual(new Set([401, 429]))
})

it('T-12: attempts per minute are limited by address, also with forged headers (T-32)', async () => {
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

it('each access token has a limit of its own, for reading and for writing', async () => {
  const ines = await api.person()
  const projectId = await api.project({ ownerId: ines.id })
  const permissions = ['project:view' as const, 'project:manage_devices' as const]
  const create = async (name: string) =>
    (await api.call(createAccessToken, { projectId }, { as: ines, body: { name, permissions, lifetime_days: 7 } })).body.token
  const [first, second] = [await create('first'), await create('second')]
  const read = async (as: string) => (await api.call(tags, { projectId }, { as })).status
  let made = 0
  const write = async (as: string) =>
    (await api.call(createTag, { projectId }, { as, body: { name: `tag-${made++}`, colour: 'sky' } })).status
  const repeat = async (once: (as: string) => Promise<number>, as: string) => {
    const statuses = []
    for (let n = 0; n < 11; n++) statuses.push(await once(as))
    return statuses
  }
  const limited = (status: number) => [...Array.from({ length: 10 }, () => status), 429]
  expect(await repeat(read, first)).toEqual(limited(200))
  expect(await repeat(write, first)).toEqual(limited(201))
  expect([await read(second), await write(second)]).toEqual([200, 201])
  api.advance(60)
  expect([await read(first), await write(first)]).toEqual([200, 201])
})

it('limits the requests of a session, and returns the rest and the time to wait', async () => {
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
  // Another session has its own count.
  expect((await api.call(self, {}, { as: await api.person() })).status).toBe(200)
})

it('limits codes that are tried out from one address', async () => {
  const body = { code: 'c'.repeat(43), code_verifier: 'v'.repeat(43) }
  const answers = []
  for (let n = 0; n < 13; n++) answers.push(await api.call(createSession, {}, { body, from: '10.0.0.5' }))
  expect(answers.at(11)?.status).toBe(400)
  expect(answers.at(12)?.status).toBe(429)
})

it('T-12: the addresses of one IPv6 network count as one', async () => {
  const tried: number[] = []
  for (let n = 0; n < 6; n++)
    tried.push((await host.browser(`2001:db8:0:7::${n}:1`).submit('/signin', { ...wrong, email: 'six@example.com' })).status)
  expect(tried).toEqual([401, 401, 401, 401, 401, 429])
  expect((await host.browser('2001:db8:0:8::1').submit('/signin', wrong)).status).toBe(401)
})

describe('T-12: a large number of attempts', () => {
  const tries = repetitions(120, 10_000)
  const addresses = repetitions(2, 50)
  const perMinute = 10
  let busy: TestApi
  let attacked: Awaited<ReturnType<typeof createSignIn>>
  beforeAll(async () => {
    busy = await createTestApi({ TEASEL_LIMIT_SIGN_INS_PER_MINUTE: String(perMinute) })
    attacked = await createSignIn(busy)
    await attacked.signUp(email)
  })
  afterAll(async () => {
    await attacked.close()
    await busy.close()
  })

  /** Sends all attempts from one address, 40 at once; returns the statuses. */
  const attack = async (address: string, count: number, account: (n: number) => string): Promise<number[]> => {
    const visitor = attacked.browser(address)
    const csrf = /name="csrf" value="([^"]+)"/.exec((await visitor.get('/signin')).text)?.[1] ?? ''
    const statuses: number[] = []
    while (statuses.length < count) {
      const wave = Array.from({ length: Math.min(40, count - statuses.length) }, (_, n) =>
        visitor.post('/signin', { csrf, email: account(statuses.length + n), password: `guess number ${statuses.length + n}` }),
      )
      statuses.push(...(await Promise.all(wave)).map(({ status }) => status))
    }
    return statuses
  }
  const looked = (statuses: number[]) => statuses.filter((status) => status === 401).length

  it(
    'are handled within the limits, with less than 300 MiB of memory, and lock out no other account',
    { timeout: within(900_000) },
    async () => {
      // The attacker runs in this process too: its memory must be in use before the first measurement.
      await attack('10.8.0.0', repetitions(1, 500), () => email)
      busy.advance(901)
      const before = process.memoryUsage.rss()
      let most = before
      const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20)
      const half = tries / 2
      const statuses: number[] = []
      for (let n = 0; n < addresses; n++) {
        const answers = await attack(`10.8.1.${n}`, half / addresses, () => email)
        expect(looked(answers)).toBeGreaterThan(0)
        expect(looked(answers)).toBeLessThanOrEqual(5)
        statuses.push(...answers)
      }
      const sprayed = await attack('10.8.2.1', half, (n) => `person${n}@example.com`)
      clearInterval(watch)
      expect(looked(sprayed)).toBeGreaterThan(0)
      expect(looked(sprayed)).toBeLessThanOrEqual(perMinute)
      statuses.push(...sprayed)
      expect(statuses).toHaveLength(tries)
      expect(new Set(statuses)).toEqual(new Set([401, 429]))
      expect((most - before) / 1024 ** 2).toBeLessThanOrEqual(300)
      const owner = await attacked.browser('10.8.3.1').submit('/signin', { email, password })
      expect(owner.status).toBe(303)
    },
  )
})

describe('invalid tokens', () => {
  const limited = { TEASEL_LIMIT_BAD_TOKENS_PER_MINUTE: '20' }
  let strict: TestApi
  beforeAll(async () => void (strict = await createTestApi(limited)))
  afterAll(() => strict.close())
  const ask = (as: string, from: string) => strict.call(self, {}, { as, from })
  const exhaust = async (from: string) => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => ask(createToken('ses'), from)))
    return answers.map(({ status }) => status).toSorted()
  }

  it('get 429 beyond the limit of their address, also concurrently, and without a look-up', async () => {
    const statuses = await exhaust('10.7.0.1')
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 401), ...Array.from({ length: 40 }, () => 429)])
    const asked = vi.spyOn(strict.deps.pool, 'query')
    const answers = await Promise.all(Array.from({ length: 200 }, () => ask(createToken('ses'), '10.7.0.1')))
    const queries = asked.mock.calls.length
    asked.mockRestore()
    expect(new Set(answers.map(({ status, error }) => `${status} ${error.code}`))).toEqual(new Set(['429 too_many_requests']))
    expect(answers[0]?.headers['retry-after']).toBe('60')
    expect(queries).toBeLessThan(20)
    expect((await ask(createToken('ses'), '10.7.0.2')).status).toBe(401)
    strict.advance(60)
    expect((await ask(createToken('ses'), '10.7.0.1')).status).toBe(401)
  })

  it('do not affect valid tokens of the same address, old or new', async () => {
    const before = await strict.person()
    await exhaust('10.7.1.1')
    expect((await ask(before.token, '10.7.1.1')).status).toBe(200)
    for (let n = 0; n < 3; n++) {
      const issued = await strict.person()
      const crowd = Array.from({ length: 30 }, () => ask(createToken('ses'), '10.7.1.1'))
      expect((await ask(issued.token, '10.7.1.1')).status).toBe(200)
      expect(new Set((await Promise.all(crowd)).map(({ status }) => status))).toEqual(new Set([429]))
    }
    await strict.call(deleteCurrentSession, {}, { as: before, from: '10.7.1.1' })
    expect((await ask(before.token, '10.7.1.1')).status).toBe(401)
    expect((await ask(before.token, '10.7.1.1')).status).toBe(429)
  })

  it('are not looked up above the limit when they are old ones that have expired', async () => {
    const before = await strict.person()
    strict.advance(strict.deps.config.limits.sessionAbsoluteS)
    expect((await ask(before.token, '10.7.3.1')).status).toBe(401)
    await exhaust('10.7.3.1')
    expect((await ask(before.token, '10.7.3.1')).status).toBe(429)
  })

  it('count also for devices, whose valid tokens keep working', async () => {
    const ann = await strict.person()
    const projectId = await strict.project({ ownerId: ann.id })
    const made = await strict.call(createEnrollmentToken, { projectId }, { as: ann, body: { name: 'Line 1' } })
    const { body: device } = await strict.call(enroll, {}, { as: made.body.token, body: enrollBody() })
    const checkInAs = (as: string) => strict.call(checkIn, {}, { as, from: '10.7.2.1', body: checkInBody() })
    const answers = await Promise.all(Array.from({ length: 40 }, () => checkInAs(createToken('dvc'))))
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(20)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20)
    expect((await checkInAs(device.device_token)).status).toBe(200)
  })
})
