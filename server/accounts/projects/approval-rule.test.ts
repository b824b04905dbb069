import { afterAll, beforeAll, expect, it } from 'vitest'
import { projectAuditLog } from '../../../contract/accounts/audit'
import { project } from '../../../contract/accounts/projects'
import { updateProject } from '../../../contract/accounts/project-changes'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import type { Person } from '../../../tests/support/people'

let api: TestApi
let projectId: string
let developer: Person
let admin: Person
beforeAll(async () => {
  api = await createTestApi()
  const organization = await api.organization(await api.person(), 'Orchard')
  projectId = await api.project({ organizationId: organization.id }, 'Gateways')
  developer = await api.member(organization.id, 'developer')
  admin = await api.member(organization.id, 'admin')
})
afterAll(() => api.close())

const change = async (as: Person, settings: Record<string, unknown>) => {
  const { revision } = (await api.call(project, { projectId }, { as: admin })).body
  return api.call(updateProject, { projectId }, { as, body: { settings }, headers: { 'if-match': `"${revision}"` } })
}
const requiresApproval = async () => (await api.call(project, { projectId }, { as: admin })).body.settings.require_approval

it('only owners and admins can change the approval rule, and the audit log records it', async () => {
  const refused = await change(developer, { require_approval: true })
  expect([refused.status, refused.error.required_permission]).toEqual([403, 'project:manage_members'])
  expect((await change(admin, { require_approval: true })).status).toBe(200)
  expect((await change(developer, { require_approval: false, polling_interval_s: 60 })).status).toBe(403)
  expect(await requiresApproval()).toBe(true)
  const log = await api.call(projectAuditLog, { projectId }, { as: admin })
  expect(log.body.entries[0]).toMatchObject({ action: 'project.settings_update', actor: { id: admin.id } })
  expect(JSON.stringify(log.body.entries[0]?.changes)).toContain('require_approval')
})

it('other settings can be changed by everyone who may change the project, also when the form sends the approval rule unchanged', async () => {
  const changed = await change(developer, { require_approval: true, polling_interval_s: 120 })
  expect([changed.status, changed.body.settings.polling_interval_s]).toEqual([200, 120])
  expect(await requiresApproval()).toBe(true)
})
