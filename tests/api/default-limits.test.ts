import { afterAll, beforeAll, expect, it } from 'vitest'
import { createEnrollmentToken } from '../../contract/fleet/enrollment-tokens'
import { checkIn, enroll } from '../../contract/device/endpoints'
import { createSession } from '../../contract/accounts/sessions'
import { self } from '../../contract/accounts/users'
import { createToken } from '../../server/core/tokens/token'
import { createTestApi, type TestApi } from '../support/api'
import { createDdiScene } from '../support/ddi/scene'
import { checkInBody, enrollBody } from '../support/devices'
import { createSignIn } from '../support/sign-in'

type Answer = { status: number; headers: Record<string, unknown> }

const limits = [
  'REQUESTS_PER_MINUTE',
  'DEVICE_REQUESTS_PER_MINUTE',
  'DDI_REQUESTS_PER_MINUTE',
  'DDI_FAILURES_PER_MINUTE',
  'BAD_TOKENS_PER_MINUTE',
  'SIGN_INS_PER_MINUTE',
  'MAILS_PER_HOUR',
  'MAILS_PER_DAY',
]

let api: TestApi
let host: Awaited<ReturnType<typeof createSignIn>>
beforeAll(async () => {
  // Other tests raise the limits; an empty variable is the one that production has.
  api = await createTestApi(Object.fromEntries(limits.map((name) => [`TEASEL_LIMIT_${name}`, ''])))
  host = await createSignIn(api)
})
afterAll(async () => {
  await host.close()
  await api.close()
})

const person = async () => {
  const as = await api.person()
  return () => api.call(self, {}, { as })
}

const device = async () => {
  const ann = await api.person()
  const projectId = await api.project({ ownerId: ann.id })
  const made = await api.call(createEnrollmentToken, { projectId }, { as: ann, body: { name: 'Line 1' } })
  const { body } = await api.call(enroll, {}, { as: made.body.token, body: enrollBody() })
  return () => api.call(checkIn, {}, { as: body.device_token, body: checkInBody() })
}

const hawkbitClient = async () => {
  const [client] = await (await createDdiScene(api)).join(1)
  if (!client) throw new Error('no device')
  return async () => {
    const { statusCode, headers } = await client.call(client.at)
    return { status: statusCode, headers }
  }
}

const hawkbitStranger = async () => {
  const scene = await createDdiScene(api)
  let n = 0
  return async () => {
    const token = `TargetToken wrong-token-of-a-device-${n++}`
    const { statusCode, headers } = await scene.send(token, '/DEFAULT/controller/v1/x', { from: '203.0.113.9' })
    return { status: statusCode, headers }
  }
}

const stranger = async () => () => api.call(self, {}, { as: createToken('ses'), from: '203.0.113.8' })

/** A code costs no time, unlike a password, and counts with the sign-ins. */
const visitor = async () => {
  const body = { code: 'c'.repeat(43), code_verifier: 'v'.repeat(43) }
  return () => api.call(createSession, {}, { body, from: '203.0.113.7' })
}

it.each<[string, number, () => Promise<() => Promise<Answer>>]>([
  ['a session sends 600 requests', 600, person],
  ['a device sends 120 requests', 120, device],
  ['a hawkBit client polls 240 times', 240, hawkbitClient],
  ['120 wrong tokens of hawkBit clients come from one address', 120, hawkbitStranger],
  ['300 wrong tokens come from one address', 300, stranger],
  ['30 codes of sign-ins are tried from one address', 30, visitor],
])('%s in a minute, and the next one is accepted after exactly the time that the refusal names', async (_, most, open) => {
  const ask = await open()
  const { status: accepted } = await ask()
  for (let n = 1; n < most; n++) expect((await ask()).status).toBe(accepted)
  const refused = await ask()
  expect([refused.status, accepted]).toEqual([429, expect.not.toSatisfy((status) => status === 429)])
  api.advance(Number(refused.headers['retry-after']))
  expect((await ask()).status).toBe(accepted)
})

it('others can cause five mails to one recipient in an hour, and twenty in a day', async () => {
  const email = 'reader@example.com'
  await host.signUp(email)
  api.advance(24 * 3600)
  const before = api.sent.length
  const sent = async (from: string) => {
    for (let n = 0; n < 7; n++) await host.browser(from).submit('/forgot', { email })
    return api.sent.length - before
  }
  const counts = []
  for (let hour = 0; hour < 6; hour++) {
    counts.push(await sent(`203.0.113.${20 + hour}`))
    api.advance(3600)
  }
  expect(counts).toEqual([5, 10, 15, 20, 20, 20])
  api.advance(18 * 3600)
  expect(await sent('203.0.113.30')).toBe(25)
})
