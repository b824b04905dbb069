import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { Organization } from '../../../contract/accounts/organization'
import type { User } from '../../../contract/accounts/users'
import OrganizationSummaryPage from '../../../src/features/organizations/organization-summary-page'
import { openShared } from './shared-object'

const id = 'org_hedgerow0001'
const ofProduction: Organization = {
  public_id: id,
  name: 'Hedgerow',
  description: '',
  image_url: null,
  plan: 'production',
  base_role: 'owner',
  member_count: 3,
  project_count: 1,
  settings: {
    require_mfa: false,
    session_idle_s: 3600,
    default_role: 'viewer',
    require_release_approval: false,
    audit_retention_days: 365,
  },
  created_at: '2026-06-01T12:00:00+00:00',
  updated_at: '2026-06-01T12:00:00+00:00',
  revision: 4,
}
const place = '/account/settings/organizations/list'

/** The settings of the organization for its owner. */
const open = (organization = ofProduction) =>
  openShared(organization, () => <OrganizationSummaryPage />, {
    merge: (current, { settings, ...body }: Partial<Organization>) => ({
      ...current,
      ...body,
      settings: { ...current.settings, ...settings },
    }),
    cached: [
      [['organization', id], organization],
      [['permissions', id, null], { grants: null, baseRole: 'owner' }],
      [['self'], { id: 'u1', mfa_enabled: true } as User], // The fields that are read.
    ],
    at: { pattern: `${place}/$organizationId/summary`, path: `${place}/${id}/summary` },
  })
const name = page.getByRole('textbox', { name: 'Name', exact: true })
const description = page.getByRole('textbox', { name: 'Description', exact: true })
const factor = page.getByRole('switch', { name: 'Members need two-step sign-in' })
const approval = page.getByRole('switch', { name: 'Every rollout needs approval by a second person' })
const save = (label = 'Save') => page.getByRole('button', { name: label, exact: true }).click()

it('a second save of an organization after a conflict keeps the settings that another person changed, and shows them', async () => {
  const { bodies, change, stored } = open()
  await name.fill('Hedgerow South')
  change({ settings: { ...ofProduction.settings, require_mfa: true, require_release_approval: true } })
  await save()
  await expect.element(page.getByRole('row', { name: 'Members need two-step sign-in no yes not changed' })).toBeVisible()
  await save('Save again')
  await expect.poll(() => bodies).toEqual([{ name: 'Hedgerow South' }])
  await expect.element(factor).toBeChecked()
  await expect.element(approval).toBeChecked()
  await description.fill('Fields and orchards')
  await save()
  await expect.poll(() => bodies).toEqual([{ name: 'Hedgerow South' }, { description: 'Fields and orchards' }])
  expect(stored().settings).toMatchObject({ require_mfa: true, require_release_approval: true })
})

it('a change of one setting of an organization keeps another setting that another person has changed', async () => {
  const { bodies, change, stored } = open()
  await approval.click()
  change({ settings: { ...ofProduction.settings, require_mfa: true } })
  await save()
  await save('Save again')
  await expect.poll(() => bodies).toEqual([{ settings: { require_release_approval: true } }])
  expect(stored().settings).toMatchObject({ require_mfa: true, require_release_approval: true })
})

it('saving another field after the end of a paid plan keeps the days of the audit log that the plan had', async () => {
  const { bodies, stored } = open({ ...ofProduction, plan: 'developer' })
  await expect.element(page.getByText('to 90 days with the developer plan, which applies until you upgrade')).toBeVisible()
  await name.fill('Hedgerow South')
  await save()
  await expect.poll(() => bodies).toEqual([{ name: 'Hedgerow South' }])
  expect(stored().settings.audit_retention_days).toBe(365)
})
