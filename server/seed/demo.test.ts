import { afterAll, beforeAll, expect, it } from 'vitest'
import { organizationAuditLog, projectAuditLog } from '../../contract/accounts/audit'
import { organizations } from '../../contract/accounts/organizations'
import { organizationProjects, personalProjects } from '../../contract/accounts/projects'
import { releases } from '../../contract/updates/releases'
import { eq } from 'drizzle-orm'
import { createTestApi, type TestApi } from '../../tests/support/api'
import { createSignIn } from '../../tests/support/sign-in'
import { users } from '../accounts/schema/people'
import { seedDemo } from './demo'
import { type Demo, readDemo } from './demo-directory'

let api: TestApi
let demo: Demo
beforeAll(async () => {
  api = await createTestApi()
  const made = await seedDemo(api.deps)
  if (!made) throw new Error('nothing was made')
  demo = made
})
afterAll(() => api.close())

const session = async () => {
  const [user] = await api.db.select().from(users).where(eq(users.email, demo.email))
  return api.session(user?.id ?? '')
}

it('creates an organization with signed releases and an audit log that verifies', async () => {
  const as = await session()
  const [own] = (await api.call(organizations, {}, { as })).body.organizations
  const organizationId = own?.public_id ?? ''
  const listed = (await api.call(organizationProjects, { organizationId }, { as })).body.projects
  expect(listed.map(({ name }) => name)).toEqual(['Orchard Gateways', 'Cold Store Panels'])
  expect((await api.call(personalProjects, {}, { as })).body.projects.map(({ name }) => name)).toEqual(['Bench'])
  const made = (await api.call(releases, { projectId: demo.projectId }, { as })).body.releases
  expect(Object.fromEntries(made.map(({ name, state }) => [name, state]))).toEqual({
    'Gateway 2.5.0': 'ready',
    'Gateway 2.4.1': 'ready',
    'Camera 1.9.0': 'ready',
    'Camera 1.8.2': 'ready',
    'Sensor 0.10.0': 'awaiting_signature',
    'Sensor 0.9.4': 'ready',
  })
  const log = (await api.call(organizationAuditLog, { organizationId }, { as, query: { limit: 200 } })).body
  expect(log.chain.verified).toBe('yes')
  expect(log.entries.length).toBeGreaterThan(30)
  expect(new Set(log.entries.map(({ actor }) => actor.name)).size).toBeGreaterThan(3)
  const days = new Set(log.entries.map(({ occurred_at }) => occurred_at.slice(0, 10)))
  expect(days.size).toBeGreaterThan(6)
  expect((await api.call(projectAuditLog, { projectId: demo.projectId }, { as })).body.entries[0]?.action).toBe(
    'enrollment_token.create',
  )
})

it('lets its owner sign in with the password that is printed', async () => {
  const host = await createSignIn(api)
  const sent = await host.browser().submit('/signin', { email: demo.email, password: demo.password })
  expect(sent.status).toBe(303)
  await host.close()
})

it('is created once, and found by the next start', async () => {
  expect(await seedDemo(api.deps)).toEqual(demo)
  expect(await readDemo(api.deps)).toEqual(demo)
})
