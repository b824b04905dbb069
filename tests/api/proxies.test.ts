import { afterAll, beforeAll, expect, it } from 'vitest'
import { self } from '../../contract/accounts/users'
import { projectAuditLog } from '../../contract/accounts/audit'
import { createPersonalProject } from '../../contract/accounts/project-changes'
import { createTestApi, type TestApi } from '../support/api'
import { createSignIn } from '../support/sign-in'

let api: TestApi
let host: Awaited<ReturnType<typeof createSignIn>>
beforeAll(async () => {
  api = await createTestApi({ TEASEL_TRUSTED_PROXIES: '10.0.0.2, 10.9.0.0/16', TEASEL_LIMIT_SIGN_INS_PER_MINUTE: '5' })
  host = await createSignIn(api)
})
afterAll(async () => {
  await host.close()
  await api.close()
})

/**
 * Sign-ins of one client through the proxy, each for another account, with the forged header that the client sends before the
 * proxy adds its address.
 */
const tries = async (proxy: string, forwarded: (n: number) => string, count: number): Promise<number[]> => {
  const visitor = host.browser(proxy)
  const statuses: number[] = []
  for (let n = 0; n < count; n++) {
    const csrf = /name="csrf" value="([^"]+)"/.exec((await visitor.get('/signin')).text)?.[1] ?? ''
    const form = { csrf, email: `${proxy}-${n}@example.com`.replaceAll('/', ''), password: 'x'.repeat(12) }
    statuses.push((await visitor.post('/signin', form, { 'x-forwarded-for': forwarded(n) })).status)
  }
  return statuses
}
const five = Array.from({ length: 5 }, () => 401)

it('T-32: behind a trusted proxy every client has a limit of its own', async () => {
  expect(await tries('10.0.0.2', () => '198.51.100.1', 6)).toEqual([...five, 429])
  expect(await tries('10.0.0.2', () => '198.51.100.2', 5)).toEqual(five)
  expect(await tries('10.9.7.7', () => '198.51.100.3', 5)).toEqual(five)
})

it('T-32: an address claimed by a client before the trusted proxy adds its own gives no new limit', async () => {
  expect(await tries('10.0.0.2', (n) => `203.0.113.${n}, 198.51.100.4`, 6)).toEqual([...five, 429])
  expect(await tries('10.0.0.2', (n) => `10.0.0.2, 203.0.113.${n}, 198.51.100.5, 10.9.0.1`, 6)).toEqual([...five, 429])
})

it('T-32: an untrusted address cannot set the address of others', async () => {
  expect(await tries('10.0.0.3', (n) => `198.51.100.${100 + n}`, 6)).toEqual([...five, 429])
})

it('T-32: the audit log names the client and not the proxy, also when the header is invalid', async () => {
  const ines = await api.person()
  const headers = { 'x-forwarded-for': '203.0.113.66, 198.51.100.9' }
  const { body: made } = await api.call(
    createPersonalProject,
    {},
    { as: ines, body: { name: 'Orchard' }, from: '10.0.0.2', headers },
  )
  const log = await api.call(projectAuditLog, { projectId: made.id }, { as: ines })
  expect(log.body.entries[0]?.source_ip).toBe('198.51.100.9')
  for (const nonsense of ['', ',,,', 'not an address', '1'.repeat(5000), '::1%eth0, <script>']) {
    const through = { as: ines, from: '10.0.0.2', headers: { 'x-forwarded-for': nonsense } }
    const name = `Orchard ${nonsense.length}`
    expect((await api.call(createPersonalProject, {}, { ...through, body: { name } })).status).toBe(201)
  }
})

it('each line of a request in the log says when, who, what, with which result, and the address of the client', async () => {
  const ines = await api.person()
  const headers = { 'x-forwarded-for': '203.0.113.66, 198.51.100.10' }
  await api.call(self, {}, { as: ines, from: '10.0.0.2', headers })
  await host.browser('198.51.100.11').get('/signin')
  const lines = api.lines.flatMap((line) => line.trim().split('\n')).map((line): unknown => JSON.parse(line))
  const line = { time: expect.any(Number), request_id: expect.any(String), status: 200 }
  expect(lines).toContainEqual(
    expect.objectContaining({ ...line, route: '/users/self', ip: '198.51.100.10', actor: `user:${ines.id}` }),
  )
  expect(lines).toContainEqual(expect.objectContaining({ ...line, route: '/signin', ip: '198.51.100.11' }))
})

it('T-14: a forwarded host or scheme allows no other host name', async () => {
  const headers = { host: 'api.example.com', 'x-forwarded-host': 'localhost:8080', 'x-forwarded-proto': 'https' }
  const ines = await api.person()
  expect((await api.call(self, {}, { as: ines, from: '10.0.0.2', headers })).status).toBe(421)
})
