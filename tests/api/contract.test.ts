import { ulid } from 'ulid'
import { randomBytes } from 'node:crypto'
import { count, eq } from 'drizzle-orm'
import { Stripe } from 'stripe'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as access from '../../contract/fleet/enrollment-tokens'
import * as accessTokens from '../../contract/accounts/access-tokens'
import * as webhooks from '../../contract/accounts/webhooks'
import * as accessRequests from '../../contract/accounts/access-requests'
import * as account from '../../contract/accounts/account'
import * as accountDeletion from '../../contract/accounts/account-deletion'
import * as accountActivity from '../../contract/accounts/account-activity'
import * as apiDescription from '../../contract/api-description'
import * as audit from '../../contract/accounts/audit'
import * as clientBinaries from '../../contract/fleet/client-binaries'
import * as clientConfigs from '../../contract/fleet/client-configs'
import * as components from '../../contract/updates/components'
import * as configs from '../../contract/fleet/configs'
import { fromBase64, toBase64 } from '../../contract/device/bytes'
import { sign } from '../../contract/device/dsse'
import * as device from '../../contract/device/endpoints'
import { keyListPayloadType } from '../../contract/device/key-list'
import { pemOf } from '../../contract/device/public-key'
import { generateSigningKey } from '../../contract/device/private-key'
import * as deviceCommands from '../../contract/fleet/device-commands'
import * as deviceImports from '../../contract/fleet/device-imports'
import * as deviceJobs from '../../contract/fleet/device-jobs'
import * as deviceLifecycle from '../../contract/fleet/device-lifecycle'
import * as deviceLogs from '../../contract/fleet/device-logs'
import * as deviceReports from '../../contract/fleet/device-reports'
import * as deviceUpdates from '../../contract/updates/device-updates'
import * as deviceExports from '../../contract/fleet/device-exports'
import * as devices from '../../contract/fleet/devices'
import type { BodyOf, Endpoint, ParamsOf, QueryOf } from '../../contract/core/endpoint'
import { endpoints } from '../../contract/endpoints'
import * as eventStream from '../../contract/overview/event-stream'
import { expirations } from '../../contract/overview/expirations'
import * as notifications from '../../contract/accounts/notifications'
import * as guests from '../../contract/accounts/guests'
import * as interstitials from '../../contract/accounts/interstitials'
import * as invites from '../../contract/accounts/invites'
import * as keyLists from '../../contract/fleet/key-lists'
import * as keys from '../../contract/fleet/keys'
import * as logSummaries from '../../contract/fleet/log-summaries'
import * as members from '../../contract/accounts/members'
import * as modelCounts from '../../contract/fleet/model-counts'
import * as monitor from '../../contract/overview/monitor'
import * as oneOrganization from '../../contract/accounts/organization'
import * as organizations from '../../contract/accounts/organizations'
import * as profile from '../../contract/accounts/profile'
import * as projectChanges from '../../contract/accounts/project-changes'
import * as projects from '../../contract/accounts/projects'
import * as releaseAssets from '../../contract/updates/release-assets'
import * as releaseSigning from '../../contract/updates/release-signing'
import * as releases from '../../contract/updates/releases'
import * as roleChanges from '../../contract/accounts/role-changes'
import * as rollBacks from '../../contract/updates/roll-backs'
import * as rolloutPlans from '../../contract/updates/rollout-plans'
import * as rolloutSteps from '../../contract/updates/rollout-steps'
import * as rollouts from '../../contract/updates/rollouts'
import * as search from '../../contract/overview/search'
import * as simulatedDevices from '../../contract/fleet/simulated-devices'
import * as bundleArtifacts from '../../contract/updates/secure-boot/artifacts'
import * as bundles from '../../contract/updates/secure-boot/bundles'
import * as fusePlans from '../../contract/updates/secure-boot/fuse-plan'
import * as savedViews from '../../contract/fleet/saved-views'
import * as secureBootDevices from '../../contract/updates/secure-boot/devices'
import { previewBundleRevocation } from '../../contract/updates/secure-boot/revocation'
import * as emailChange from '../../contract/accounts/email-change'
import * as identities from '../../contract/accounts/identities'
import * as openSessions from '../../contract/accounts/open-sessions'
import * as sessions from '../../contract/accounts/sessions'
import * as subscriptions from '../../contract/accounts/subscriptions'
import * as tags from '../../contract/fleet/tags'
import * as uploads from '../../contract/updates/uploads'
import * as users from '../../contract/accounts/users'
import { auditEntries } from '../../server/core/database/schema/audit-entries.partitioned'
import { runDeviceJobs } from '../../server/fleet/device-jobs/run'
import { devices as deviceTable } from '../../server/fleet/schema/devices'
import { rollouts as rolloutTable } from '../../server/updates/schema/rollouts'
import { webhookSecret } from '../../server/accounts/billing/stripe'
import { signIns } from '../../server/accounts/schema/people'
import { redirectWithCode } from '../../server/sign-in/authorization'
import { tickRollouts } from '../../server/updates/rollouts/tick'
import { runBundleChecks } from '../../server/updates/secure-boot/run-checks'
import { appCode, givePassword } from '../support/account'
import { type As, cheapPasswords, createTestApi, type Options, type TestApi } from '../support/api'
import { createBundleFixture, passFormats } from '../support/bundle-fixture'
import { firstAuthority } from '../support/ddi/authorities'
import { checkInBody, enrollBody, eventOf } from '../support/devices'
import { fleet } from '../support/fleet'
import type { Person } from '../support/people'
import { createReleaseFixture } from '../support/release-fixture'
import { authorizeQuery, pkce } from '../support/sign-in'
import { createTestObjects } from '../support/test-objects'
import { png } from '../support/pictures'
import { isThroughPrism } from '../support/prism'
import { createUpload, endUpload } from '../support/upload-file'

let api: TestApi
let ines: Person
let organization: { id: string; publicId: string }
let projectId: string
beforeAll(async () => {
  api = await createTestApi({}, cheapPasswords)
  ines = await api.person()
  organization = await api.organization(ines)
  const body = { name: 'Gateways' }
  const made = await api.call(
    projectChanges.createOrganizationProject,
    { organizationId: organization.publicId },
    { as: ines, body },
  )
  projectId = made.body.id
  const settings = { hardware_models: [{ id: 'gw', name: 'Gateway', platform: 'nxp-hab', slots: 'single' as const }] }
  await ok(projectChanges.updateProject, { projectId }, { body: { settings }, revision: 1 })
})
afterAll(() => api.close())

type Said<E extends Endpoint> = {
  as?: As
  body?: BodyOf<E>
  query?: QueryOf<E>
  rows?: Options<E>['rows']
  revision?: number
  headers?: Record<string, string>
}

const countAuditRows = async () => {
  const [found] = await api.db.select({ rows: count() }).from(auditEntries)
  return found?.rows ?? 0
}

/** A call that must succeed: `call` checks the answer against the contract, and this the audit log. */
const ok = async <E extends Endpoint>(endpoint: E, params: ParamsOf<E>, { as = ines, revision, ...rest }: Said<E> = {}) => {
  const headers = { ...rest.headers, ...(revision !== undefined && { 'if-match': `"${revision}"` }) }
  const before = await countAuditRows()
  const reply = await api.call(endpoint, params, { ...rest, as, headers })
  expect(reply.status, `${endpoint.method} ${endpoint.path}: ${reply.text.slice(0, 300)}`).toBeLessThan(400)
  const written = (await countAuditRows()) - before
  // The configuration creates an enrollment token, which has its own entry; both owners of a project record its transfer, and both
  // projects of a device its move.
  const twice: Endpoint[] = [
    configs.createDeviceConfig,
    clientConfigs.createClientConfig,
    projectChanges.transferProject,
    deviceLifecycle.moveDevice,
  ]
  const expected = (endpoint.audit === 'none' ? 0 : 1) + (twice.includes(endpoint) ? 1 : 0)
  expect(written, `audit entries of ${endpoint.method} ${endpoint.path}`).toBe(expected)
  return reply.body
}

describe('T-20: every endpoint answers as its contract says and adds an audit entry exactly when the contract names an action', () => {
  it('people', async () => {
    const { verifier, challenge } = pkce()
    const asked = authorizeQuery(challenge) as Parameters<typeof redirectWithCode>[2]
    const [now, signInId] = [api.deps.clock(), ulid()]
    const times = { createdAt: now, lastUsedAt: now, expiresAt: new Date(now.getTime() + 3_600_000) }
    await api.db.insert(signIns).values({ id: signInId, userId: ines.id, tokenHash: signInId, ...times })
    const location = await redirectWithCode(api.db, api.deps, asked, ines.id, signInId)
    const code = new URLSearchParams(new URL(location).hash.slice(1)).get('code') ?? ''
    const body = { code, code_verifier: verifier }
    const { session_token } = await ok(sessions.createSession, {}, { as: undefined, body })
    const other = (await ok(openSessions.listSessions, {})).sessions.find(({ current }) => !current)
    await ok(openSessions.deleteSession, { sessionId: other?.id ?? '' })
    expect((await api.call(users.self, {}, { as: session_token })).status).toBe(401)
    await ok(sessions.deleteCurrentSession, {}, { as: (await api.person()).token })
    await ok(users.self, {})
    await ok(users.updateSelf, {}, { body: { full_name: 'Ines Q.' } })
    await ok(interstitials.recordInterstitial, { interstitialId: interstitials.onboardingKey })
    await ok(interstitials.interstitials, {})
    await ok(profile.saveProfile, {}, { body: { first_name: 'Ines' } })
    await ok(profile.updateProfile, {}, { body: { city: 'Bremen' } })
    await ok(profile.profile, {})
    await ok(subscriptions.subscriptions, {})
    const dora = await api.person({ plan: 'developer' })
    const checkout = { organization_id: null, success_path: '/account', cancel_path: '/account' }
    await ok(subscriptions.createCheckout, {}, { as: dora, body: checkout })
    const event = { id: 'evt_1', type: 'customer.created', created: 1, data: { object: {} } }
    const secret = (await webhookSecret(api.db, api.config)) ?? ''
    const timestamp = Math.floor(api.deps.clock().getTime() / 1000)
    const signature = Stripe.webhooks.generateTestHeaderString({ payload: JSON.stringify(event), secret, timestamp })
    const told = await api.app.inject({
      method: 'POST',
      url: subscriptions.receiveBillingEvent.path,
      payload: JSON.stringify(event),
      headers: { host: new URL(api.config.urls.api).host, 'content-type': 'application/json', 'stripe-signature': signature },
    })
    expect([told.statusCode, told.json()]).toEqual([200, { outcome: 'ignored' }])
    api.called.add(subscriptions.receiveBillingEvent)
    await ok(apiDescription.apiDescription, {})
    await ok(clientBinaries.clientBinaries, {})
    await ok(clientBinaries.downloadClientBinary, { fileName: 'teasel-agent.mjs' })
  })

  it('the account', async () => {
    const current_password = await givePassword(api, ines)
    const image = new Blob([png(8, 8)])
    const { image_url } = await ok(account.setAvatar, {}, { body: { image } })
    await ok(account.avatar, { avatarKey: image_url?.split('/').at(-1) ?? '' }, { as: undefined })
    await ok(account.removeAvatar, {})
    const { secret } = await ok(account.beginSecondFactor, {}, { body: { current_password } })
    const { recovery_codes } = await ok(account.confirmSecondFactor, {}, { body: { code: appCode(api, secret) } })
    const renewed = { current_password, code: recovery_codes[0] ?? '' }
    const fresh = await ok(account.renewRecoveryCodes, {}, { body: renewed })
    expect(await ok(account.secondFactor, {})).toMatchObject({ recovery_codes_left: 10 })
    await ok(account.removeSecondFactor, {}, { body: { current_password, code: fresh.recovery_codes[0] ?? '' } })
    const wanted = { email: 'ines.quist@example.com', current_password }
    await ok(emailChange.requestEmailChange, {}, { body: wanted })
    expect(await ok(emailChange.emailChange, {})).toMatchObject({ change: { email: wanted.email } })
    await ok(emailChange.withdrawEmailChange, {})
    const identityId = await createTestObjects(api.deps).identity(ines.id)
    await ok(expirations, {})
    const notificationId = await createTestObjects(api.deps).notification(ines.id)
    expect(await ok(notifications.notifications, {})).toMatchObject({ notifications: [{ id: notificationId }], unread: 1 })
    await ok(notifications.readNotification, { notificationId })
    await ok(notifications.readNotifications, {}, { body: { through: notificationId } })
    expect((await ok(notifications.notificationSettings, {})).settings.map(({ level }) => level)).toContain('needs_me')
    await ok(notifications.changeNotificationSetting, { projectId }, { body: { level: 'all' } })
    expect(await ok(identities.listIdentities, {})).toMatchObject({ identities: [{ id: identityId }], has_password: true })
    await ok(identities.disconnectIdentity, { identityId }, { body: { current_password } })
    await ok(account.changePassword, {}, { body: { current_password, new_password: 'nine quiet herons wade' } })
    await api.session(ines.id)
    expect(await ok(account.endOtherSessions, {})).toEqual({ ended: 1 })
    expect((await ok(accountActivity.accountEvents, {})).events.length).toBeGreaterThan(5)
    const leaver = await api.person()
    const proof = { confirm_email: leaver.email, current_password: await givePassword(api, leaver) }
    await ok(accountDeletion.accountDeletion, {}, { as: leaver })
    await ok(accountDeletion.exportAccount, {}, { as: leaver })
    await ok(accountDeletion.deleteAccount, {}, { as: leaver, body: proof })
  })

  it('organizations and members', async () => {
    const made = await ok(oneOrganization.createOrganization, {}, { body: { name: 'Second' } })
    const organizationId = made.public_id
    await ok(organizations.organizations, {})
    await ok(oneOrganization.organization, { organizationId })
    const changed = await ok(oneOrganization.updateOrganization, { organizationId }, { body: { name: 'Third' }, revision: 1 })
    await ok(
      oneOrganization.deleteOrganization,
      { organizationId },
      { body: { confirm_name: 'Third' }, revision: changed.revision },
    )
    const place = { organizationId: organization.publicId }
    const viewer = await api.member(organization.id, 'viewer')
    const leaver = await api.member(organization.id, 'viewer')
    await ok(oneOrganization.leaveOrganization, place, { as: leaver })
    await ok(organizations.memberPermissions, { ...place, memberId: 'self' })
    await ok(members.members, place, { query: { q: 'the' } })
    await ok(members.member, { ...place, memberId: viewer.id })
    await ok(roleChanges.previewRoleChange, { ...place, memberId: viewer.id }, { query: { base_role: 'operator' } })
    await ok(members.updateMember, { ...place, memberId: viewer.id }, { body: { base_role: 'operator' } })
    await ok(members.removeMember, { ...place, memberId: viewer.id })
    await ok(audit.organizationAuditLog, place)
    await ok(audit.exportOrganizationAuditLog, place, { query: { format: 'csv' } })
    await ok(audit.organizationAuditChain, place)
  })

  it('invites, guests and requests', async () => {
    const place = { organizationId: organization.publicId }
    const body = { emails: ['mara@example.com', 'aiko@example.com'], base_role: 'viewer' as const }
    const { invites: sent } = await ok(invites.createInvites, place, { body })
    await ok(invites.invites, place, { query: { q: 'mara' } })
    const inviteId = sent[0]?.id ?? ''
    const again = await ok(invites.resendInvite, { ...place, inviteId })
    const inviteToken = again.accept_url.split('/').at(-1) ?? ''
    await ok(invites.invite, { inviteToken }, { as: undefined })
    const mara = await api.person({ email: 'mara@example.com' })
    await ok(invites.acceptInvite, { inviteToken }, { as: mara })
    await ok(invites.revokeInvite, { ...place, inviteId: sent[1]?.id ?? '' })
    const asked = await ok(accessRequests.createAccessRequest, place, { as: mara, body: { permission: 'project:update' } })
    await ok(accessRequests.accessRequests, place, { query: { state: 'open' } })
    const granted = { ...place, accessRequestId: asked.id }
    await ok(accessRequests.grantAccessRequest, granted, { body: { base_role: 'developer' } })
    const more = await ok(accessRequests.createAccessRequest, place, { as: mara, body: { permission: 'project:delete' } })
    await ok(accessRequests.denyAccessRequest, { ...place, accessRequestId: more.id })

    const shared = { projectId: (await ok(projectChanges.createPersonalProject, {}, { body: { name: 'Shared' } })).id }
    const guestly = { emails: ['mara@example.com', 'ravi@example.com'], base_role: 'operator' as const }
    const made = await ok(invites.createProjectInvites, shared, { body: guestly })
    await ok(invites.projectInvites, shared)
    const [first, second] = made.invites.map(({ id }) => id)
    const resent = await ok(invites.resendProjectInvite, { ...shared, inviteId: first ?? '' })
    await ok(invites.revokeProjectInvite, { ...shared, inviteId: second ?? '' })
    await ok(invites.acceptInvite, { inviteToken: resent.accept_url.split('/').at(-1) ?? '' }, { as: mara })
    await ok(guests.projectMembers, shared, { as: mara, query: { limit: 1 } })
    const member = { ...shared, memberId: mara.id }
    await ok(guests.projectMember, member)
    await ok(guests.updateProjectMember, member, { body: { base_role: 'viewer' } })
    await ok(guests.removeProjectMember, { ...shared, memberId: 'self' }, { as: mara })
    const last = await ok(invites.createInvites, place, { body: { emails: ['tomasz@example.com'], base_role: 'admin' } })
    const tomasz = await api.person({ email: 'tomasz@example.com' })
    const declined = last.invites[0]?.accept_url.split('/').at(-1) ?? ''
    await ok(invites.declineInvite, { inviteToken: declined }, { as: tomasz })
  })

  it('projects and tags', async () => {
    const own = await ok(projectChanges.createPersonalProject, {}, { body: { name: 'Bench' } })
    await ok(projects.personalProjects, {})
    await ok(projects.organizationProjects, { organizationId: organization.publicId })
    await ok(projects.project, { projectId })
    await ok(projects.personalProjectPermissions, { projectId: own.id, memberId: 'self' })
    const moved = { organization_id: organization.publicId, confirm_name: 'Bench' }
    await ok(projectChanges.transferProject, { projectId: own.id }, { body: moved, revision: 1 })
    await ok(projectChanges.deleteProject, { projectId: own.id }, { body: { confirm_name: 'Bench' }, revision: 2 })
    const { id: tagId } = await ok(tags.createTag, { projectId }, { body: { name: 'pilot', colour: 'moss' } })
    await ok(tags.tags, { projectId })
    await ok(tags.tag, { tagId })
    const tag = await ok(tags.updateTag, { tagId }, { body: { colour: 'sky' }, revision: 1 })
    await ok(tags.deleteTag, { tagId }, { query: { force: true }, revision: tag.revision })
    await ok(audit.projectAuditLog, { projectId })
    await ok(audit.exportAuditLog, { projectId }, { query: { format: 'csv' } })
    await ok(audit.projectAuditChain, { projectId })
  })

  it('devices, called by people', async () => {
    const made = await ok(devices.createDevice, { projectId }, { body: { name: 'desk-1', hardware_model: 'gw' } })
    const deviceId = made.id
    const now = async () => (await ok(devices.device, { deviceId })).revision
    await ok(devices.devices, { projectId }, { query: { sort: 'name' } })
    await ok(deviceExports.exportDevices, { projectId })
    const view = {
      name: 'Roof',
      query: 'tag=roof',
      columns: [{ name: 'health', width: 96 }],
      dense: true,
      shared: false,
    } as const
    const { id: savedViewId, revision } = await ok(
      savedViews.createSavedView,
      { projectId },
      { body: { ...view, columns: [...view.columns] } },
    )
    await ok(savedViews.savedViews, { projectId })
    await ok(savedViews.updateSavedView, { savedViewId }, { body: { shared: true }, revision })
    await ok(savedViews.deleteSavedView, { savedViewId })
    await ok(search.searchProject, { projectId }, { query: { q: 'desk' } })
    await ok(search.searchEverywhere, {}, { query: { q: 'desk' } })
    await ok(devices.updateDevice, { deviceId }, { body: { notes: 'On the desk' }, revision: await now() })
    await ok(deviceLifecycle.disableDevice, { deviceId })
    await ok(deviceLifecycle.enableDevice, { deviceId })
    const until = new Date(api.deps.clock().getTime() + 3_600_000)
    await api.db
      .update(deviceTable)
      .set({ quarantineUntil: until, quarantineReason: 'three failures' })
      .where(eq(deviceTable.id, deviceId))
    await ok(deviceLifecycle.clearQuarantine, { deviceId })
    const { id: commandId } = await ok(deviceCommands.sendCommand, { deviceId }, { body: { command: 'check_now' } })
    await ok(deviceCommands.deviceCommands, { deviceId })
    await ok(deviceCommands.deviceCommand, { deviceId, commandId })
    await ok(deviceCommands.cancelCommand, { deviceId, commandId })
    await ok(monitor.deviceMetricNames, { deviceId })
    const controller = { name: 'desk-2', hardware_model: 'gw', protocol: 'ddi' as const, serial_number: 'desk-2' }
    const { id: controllerDeviceId } = await ok(devices.createDevice, { projectId }, { body: controller })
    await ok(deviceReports.askForAttributes, { deviceId: controllerDeviceId })
    await ok(deviceReports.deviceReport, { deviceId: controllerDeviceId })
    const rows = { text: 'controller_id,hardware_model\ncam-1,gw\n', type: 'text/csv' as const }
    const { import_id } = await ok(deviceImports.importDevices, { projectId }, { rows })
    await ok(deviceImports.deviceImports, { projectId })
    await ok(deviceImports.undoDeviceImport, { projectId, deviceImportId: import_id ?? '' })
    const simulated = await api.project({ ownerId: ines.id }, 'Simulated')
    await ok(simulatedDevices.addSimulatedDevices, { projectId: simulated })
    await ok(simulatedDevices.simulatedDevices, { projectId: simulated })
    const change = { selection: { ids: [deviceId] }, expected_count: 1, action: 'disable_updates' as const }
    const { job_id: jobId } = await ok(deviceJobs.bulkChangeDevices, { projectId }, { body: change })
    await ok(deviceJobs.cancelDeviceJob, { jobId })
    const { job_id: secondId } = await ok(deviceJobs.bulkChangeDevices, { projectId }, { body: change })
    await runDeviceJobs(api.deps, { copyClientState: async () => {}, hasUnapprovedRollout: async () => false })
    await ok(deviceJobs.deviceJobs, { projectId })
    await ok(deviceJobs.deviceJob, { jobId: secondId })
    await ok(deviceJobs.deviceJobRows, { jobId: secondId })
    await ok(deviceJobs.undoDeviceJob, { jobId: secondId })
    await ok(deviceUpdates.updateDecision, { deviceId })
    await ok(deviceUpdates.deviceUpdateEvents, { deviceId })
    await ok(deviceLogs.deviceSystemLogs, { deviceId })
    await ok(deviceLogs.deviceLogVolume, { deviceId })
    await ok(deviceLogs.exportSystemLogs, { deviceId })
    const span = { from: '2026-06-01T00:00:00+00:00', to: '2026-06-02T00:00:00+00:00' }
    const { id: logSummaryId } = await ok(logSummaries.createLogSummary, { deviceId }, { body: span })
    await ok(logSummaries.logSummaries, { deviceId })
    await ok(logSummaries.logSummary, { logSummaryId })
    await ok(logSummaries.logSummaryPlaintext, { logSummaryId })
    await ok(deviceUpdates.deviceInstallations, { deviceId })
    await ok(deviceLifecycle.deleteDevice, { deviceId }, { revision: await now() })
    await ok(deviceLifecycle.restoreDevice, { deviceId })
    await ok(deviceLifecycle.issueDeviceToken, { deviceId }, { body: { overlap_s: 86_400 } })
    const { id: otherId } = await ok(projectChanges.createPersonalProject, {}, { body: { name: 'Moved to' } })
    const goal = { project_id: otherId, without_trusted_key: true }
    const { id: movedId } = await ok(deviceLifecycle.moveDevice, { deviceId }, { body: goal, revision: await now() })
    await ok(deviceLifecycle.decommissionDevice, { deviceId: movedId })
  })

  it('access tokens', async () => {
    const body = { name: 'ci', permissions: ['project:view' as const], lifetime_days: null }
    const first = await ok(accessTokens.createAccessToken, { projectId }, { body })
    await ok(accessTokens.accessTokens, { projectId })
    await ok(accessTokens.currentAccessToken, {}, { as: first.token })
    const second = await ok(accessTokens.rotateAccessToken, { accessTokenId: first.id }, { body: { overlap_s: 0 } })
    await ok(accessTokens.revokeAccessToken, { accessTokenId: second.id })
  })

  it('webhooks', async () => {
    const body = { url: 'http://127.0.0.1:9/teasel', types: ['rollout.halted' as const] }
    const { id: webhookId } = await ok(webhooks.createWebhook, { projectId }, { body })
    await ok(webhooks.webhooks, { projectId })
    await ok(webhooks.updateWebhook, { webhookId }, { body: { types: ['rollout.started'] }, revision: 1 })
    await ok(webhooks.rotateWebhookSecret, { webhookId }, { body: { overlap_s: 60 } })
    const { id: webhookDeliveryId } = await ok(webhooks.testWebhook, { webhookId })
    await ok(webhooks.resendDelivery, { webhookDeliveryId })
    await ok(webhooks.webhookDeliveries, { webhookId })
    await ok(webhooks.disableWebhook, { webhookId })
    await ok(webhooks.enableWebhook, { webhookId })
    await ok(webhooks.deleteWebhook, { webhookId })
  })

  it('devices, called by devices', async () => {
    const body = { name: 'Field', auto_accept: false }
    const { id: enrollmentTokenId, token } = await ok(access.createEnrollmentToken, { projectId }, { body })
    const authority = { name: 'Authority', certificate_pem: firstAuthority.pem, hardware_model: 'gw' }
    await ok(access.createAuthority, { projectId }, { body: authority })
    await ok(access.enrollmentTokens, { projectId })
    const enroll = () => ok(device.enroll, {}, { as: token, body: enrollBody({ hardware_model: 'gw' }) })
    const [first, second] = [await enroll(), await enroll()]
    await ok(deviceLifecycle.acceptDevice, { deviceId: first.device_id })
    await ok(deviceLifecycle.rejectDevice, { deviceId: second.device_id })
    await ok(access.previewTokenRevocation, { enrollmentTokenId })
    await ok(access.revokeEnrollmentToken, { enrollmentTokenId })
    await ok(deviceCommands.sendCommand, { deviceId: first.device_id }, { body: { command: 'reboot' } })
    const as = first.device_token
    const { commands } = await ok(device.checkIn, {}, { as, body: checkInBody() })
    await ok(device.commandResult, { commandId: commands[0]?.id ?? '' }, { as, body: { state: 'done' } })
    await ok(device.update, {}, { as })
    await ok(device.putAttributes, {}, { as, body: { os_name: 'Yocto' } })
    await ok(device.patchAttributes, {}, { as, body: { arch: 'arm64' } })
    const ts_ms = api.deps.clock().getTime()
    await ok(device.metrics, {}, { as, body: { points: [{ name: 'cpu.usage_percent', unit: '%', ts_ms, value: 12 }] } })
    await ok(device.updateEvents, {}, { as, body: { events: [eventOf({ sequence: 1, type: 'booted', ts_ms })] } })
    const line = { sequence: 1, ts_ms, level: 'info', unit: 'kernel', message: 'up', boot_id: checkInBody().boot_id }
    const headers = {
      host: new URL(api.config.urls.api).host,
      authorization: `Bearer ${as}`,
      'content-type': 'application/x-ndjson',
    }
    const logs = await api.app.inject({ method: 'POST', url: device.logs.path, payload: JSON.stringify(line), headers })
    expect([logs.statusCode, logs.json().accepted]).toEqual([202, 1])
    await ok(device.keyList, {}, { as, query: { counter: 0 } })
    await ok(device.rotateToken, {}, { as })
    await ok(monitor.overview, { projectId })
    await ok(eventStream.storedEvents, { projectId })
    await ok(monitor.projectMetricNames, { projectId })
    const query = { names: 'cpu.usage_percent', from: ts_ms - 3_600_000, to: ts_ms }
    await ok(monitor.projectMetrics, { projectId }, { query })
    await ok(monitor.deviceMetrics, { deviceId: first.device_id }, { query })
  })

  it('keys and configurations', async () => {
    const key = await generateSigningKey('ed25519')
    const { publicKey } = key
    const body = { name: 'Spare', algorithm: 'ed25519' as const, public_key_pem: pemOf(publicKey) }
    const { id: signingKeyId } = await ok(keys.createSigningKey, { projectId }, { body })
    // The last key that can sign the next list is not retired.
    const other = { ...body, name: 'Other', public_key_pem: pemOf((await generateSigningKey('ed25519')).publicKey) }
    await ok(keys.createSigningKey, { projectId }, { body: other })
    await ok(keys.signingKeys, { projectId })
    await ok(keys.signingKey, { signingKeyId })
    const form = {
      name: 'gw-desk',
      enrollment: 'group' as const,
      hardware_model: 'gw',
      server_url: 'http://localhost:8080',
      public_key_ids: [signingKeyId],
      persistent_directory: '/var/lib/teasel',
      install_root: '/opt/app',
      update_mode: 'file' as const,
      polling_interval_s: 60,
      network_timeout_s: 30,
      download_retries: 10,
      metrics_interval_s: 60,
      logs_enabled: true,
      log_level: 'info' as const,
      single_check: false,
      stop_after: 'none' as const,
    }
    const { name, enrollment, hardware_model, server_url } = form
    const files = { name, enrollment, hardware_model, server_url, client: 'swupdate' as const }
    await ok(clientConfigs.createClientConfig, { projectId }, { body: files })
    const { config } = await ok(configs.createDeviceConfig, { projectId }, { body: form })
    expect(
      (await ok(configs.checkDeviceConfig, { projectId }, { body: { config } })).findings.filter(
        ({ level }) => level === 'error',
      ),
    ).toEqual([])
    await ok(keys.signingKeyCoverage, { signingKeyId })
    await ok(keys.replaceSigningKey, { signingKeyId })
    await ok(keys.keepSigningKey, { signingKeyId })
    const { next } = await ok(keyLists.keyRotation, { projectId })
    const payload_base64 = next.to_sign?.payload_base64 ?? ''
    const { signature } = await sign(key, keyListPayloadType, fromBase64(payload_base64) ?? new Uint8Array())
    const list = { payload_base64, key_id: signingKeyId, signature_base64: toBase64(signature) }
    await ok(keyLists.publishKeyList, { projectId }, { body: list })
    await ok(keys.previewKeyRevocation, { signingKeyId })
    await ok(keys.retireSigningKey, { signingKeyId })
    await ok(keys.revokeSigningKey, { signingKeyId }, { body: { reason: 'lost' } })
  })

  it('releases and rollouts', async () => {
    const tools = await createReleaseFixture(api, ines, projectId)
    const spare = await tools.draft({ version: 1, bytes: randomBytes(10) })
    await ok(releases.nextVersion, { projectId })
    await ok(modelCounts.modelCounts, { projectId })
    await ok(releases.returnVersions, { projectId }, { query: { hardware_models: 'gw, cam', below: '2' } })
    const changed = await ok(
      releases.updateRelease,
      { releaseId: spare.releaseId },
      { body: { name: 'Spare' }, revision: (await ok(releases.release, { releaseId: spare.releaseId })).revision },
    )
    const [asset] = (await ok(releases.release, { releaseId: spare.releaseId })).assets
    await ok(releaseAssets.updateAsset, spare, { body: { mode: '0600' }, revision: asset?.revision ?? 0 })
    const begun = await createUpload(api, ines, spare.assetId, { size: 10 })
    const [open] = (await ok(uploads.uploads, {}, { query: { state: 'open' } })).uploads
    expect(await ok(uploads.upload, { uploadId: String(begun.headers.location).split('/').at(-1) ?? '' })).toEqual(open)
    await endUpload(api, ines, String(begun.headers.location))
    await ok(releaseAssets.deleteAsset, spare)
    const { revision } = await ok(releases.release, { releaseId: spare.releaseId })
    await ok(releases.deleteRelease, { releaseId: changed.id }, { revision })

    const old = await tools.signed({ version: 1, bytes: randomBytes(500) })
    const made = await tools.signed({ version: 2, bytes: randomBytes(500) })
    const releaseId = made.id
    await ok(releases.releases, { projectId })
    await ok(components.releaseSboms, { releaseId })
    await ok(components.releaseComponents, { releaseId })
    await ok(components.componentDifferences, { releaseId }, { query: { before: old.id } })
    await ok(components.findComponents, { projectId })
    await ok(releaseSigning.releaseToSign, {
      releaseId: (
        await tools
          .filled({ version: 3, bytes: randomBytes(9) })
          .then(async (one) => (await ok(releaseSigning.finalizeRelease, { releaseId: one.releaseId }, { body: {} })).release)
      ).id,
    })
    const mistaken = await tools.filled({ version: 4, bytes: randomBytes(9) })
    await ok(releaseSigning.finalizeRelease, { releaseId: mistaken.releaseId }, { body: {} })
    await ok(releaseSigning.reopenRelease, { releaseId: mistaken.releaseId })
    await ok(releaseSigning.releaseManifest, { releaseId })
    const assetId = made.assets[0]?.id ?? ''
    const { url } = await ok(releaseAssets.assetLink, { releaseId, assetId })
    const { pathname, searchParams } = new URL(url)
    const link = await api.app.inject({
      method: 'GET',
      url: `${pathname}?${searchParams}`,
      headers: { host: new URL(api.config.urls.api).host },
    })
    expect([link.statusCode, link.rawPayload.length]).toEqual([200, 500])

    const things = fleet(api, projectId)
    const ids = await things.add({ count: 4, releaseId: old.id, trustedKeys: [tools.key.publicKey.fingerprint] })
    const gate = { min_success_percent: 0, max_failure_percent: 100, min_sample: 1, soak_s: 0 }
    const waves = [
      { kind: 'percent' as const, value: 50, gate: { ...gate, then: 'wait_for_user' as const } },
      { kind: 'percent' as const, value: 100, gate: { ...gate, then: 'continue' as const } },
    ]
    const make = async () => {
      const asked = { target: { device_ids: ids }, waves }
      const { preview_hash } = await ok(rolloutPlans.previewRollout, { releaseId }, { body: asked })
      return (await ok(rollouts.createRollout, { releaseId }, { body: { ...asked, preview_hash } })).id
    }
    await ok(rolloutPlans.previewRolloutDevices, { releaseId }, { body: { target: { device_ids: ids }, waves } })
    const colleague = await api.member(organization.id, 'admin')
    const approved = await make()
    await ok(rollouts.releaseRollouts, { releaseId })
    await ok(rollouts.projectRollouts, { projectId })
    // In a project with the two-person rule, rollouts use these two.
    await api.db.update(rolloutTable).set({ requiresApproval: true }).where(eq(rolloutTable.id, approved))
    await ok(rolloutSteps.submitRollout, { rolloutId: approved }, { body: {} })
    await ok(rolloutSteps.denyRollout, { rolloutId: approved }, { as: colleague, body: { comment: 'Not on a Friday' } })
    const rolloutId = await make()
    await api.db.update(rolloutTable).set({ requiresApproval: true }).where(eq(rolloutTable.id, rolloutId))
    await ok(rolloutSteps.submitRollout, { rolloutId }, { body: {} })
    await ok(rolloutSteps.approveRollout, { rolloutId }, { as: colleague, body: {} })
    await ok(rolloutSteps.pauseRollout, { rolloutId }, { body: {} })
    await ok(rolloutSteps.resumeRollout, { rolloutId }, { body: {} })
    await tickRollouts(api.deps)
    for (const id of ids) if ('envelope' in (await things.ask(id))) await things.install(id, rolloutId, 'boot_failed')
    await tickRollouts(api.deps)
    api.advance(1)
    await tickRollouts(api.deps)
    expect((await ok(rollouts.rollout, { rolloutId })).state).toBe('waiting_for_user')
    await ok(rolloutSteps.continueRollout, { rolloutId })
    await ok(rollouts.rolloutDevices, { rolloutId })
    await ok(rollouts.rolloutTimeline, { rolloutId })
    await ok(rolloutSteps.retryFailed, { rolloutId })
    await ok(rolloutSteps.haltRollout, { rolloutId }, { body: { reason: 'two failed' } })
    await ok(rollBacks.previewRollBack, { rolloutId })
    await ok(rolloutSteps.rollBackRollout, { rolloutId }, { body: { reason: 'two failed' } })
    const unapproved = await make()
    await ok(rolloutSteps.startRollout, { rolloutId: unapproved }, { body: {} })
    await ok(rolloutSteps.cancelRollout, { rolloutId: unapproved }, { body: { mode: 'stop_new' } })
    await ok(releases.archiveRelease, { releaseId: old.id })
    await ok(releases.revokeRelease, { releaseId }, { body: { reason: 'it fails' } })
  })

  it('secure boot', async () => {
    const make = createBundleFixture(api, ines, projectId)
    const body = { name: 'Boot', version: 1, platform: 'u-boot-fit' as const, hardware_models: ['gw'] }
    const { id: bundleId, revision } = await ok(bundles.createBundle, { projectId }, { body })
    await ok(bundles.bundles, { projectId })
    await ok(bundles.updateBundle, { bundleId }, { body: { description: 'For the field' }, revision })
    const file = { role: 'other' as const, file_name: 'notes.txt', size: 4 }
    const { id: artifactId } = await ok(bundleArtifacts.createArtifact, { bundleId }, { body: file })
    await ok(bundleArtifacts.deleteArtifact, { bundleId, artifactId })
    await make.upload(bundleId, 'fit_image', 'image.itb', Buffer.from('FIT'))
    await make.upload(bundleId, 'device_tree', 'u-boot.dtb', Buffer.from('DTB'))
    await ok(bundles.checkBundle, { bundleId })
    await runBundleChecks(api.deps, passFormats)
    expect((await ok(bundles.bundle, { bundleId })).state).toBe('ready')
    await ok(secureBootDevices.bundleDevices, { bundleId })
    await ok(fusePlans.fusePlan, { bundleId }, { query: { assume: 'blank' } })
    await ok(fusePlans.fusePlanScript, { bundleId }, { query: { assume: 'blank', confirm: 'Boot' } })
    await ok(fusePlans.bundleLink, { bundleId })
    const { id: deviceId } = await ok(devices.createDevice, { projectId }, { body: { name: 'Secure', hardware_model: 'gw' } })
    await ok(secureBootDevices.deviceSecureBoot, { deviceId })
    await ok(bundles.archiveBundle, { bundleId })
    await ok(bundles.restoreBundle, { bundleId })
    const { revision: last } = await ok(bundles.bundle, { bundleId })
    await ok(bundles.deleteBundle, { bundleId }, { revision: last })
    const { id } = await make.ready()
    await ok(previewBundleRevocation, { bundleId: id })
    await ok(bundles.revokeBundle, { bundleId: id }, { body: { reason: 'Key lost' } })
  })

  it('the tests call every endpoint of the contract', () => {
    const promised = Object.entries({ ...endpoints, ...device }).map(([name, endpoint]) => [name, endpoint as Endpoint] as const)
    const rest = promised.filter(([, endpoint]) => !api.called.has(endpoint)).map(([name]) => name)
    // `call` does not send bytes: these were used above, or have their own tests.
    const bytes = [
      'uploads.createUpload',
      'uploads.sendUpload',
      'eventStream.followEvents',
      'uploads.uploadOffset',
      'uploads.deleteUpload',
      'releaseAssets.downloadAsset',
      'secure-boot/fuse-plan.downloadBundle',
      'deviceAsset',
      'logs',
    ]
    expect(rest.filter((name) => !bytes.includes(name))).toEqual([])
    if (isThroughPrism) expect(api.throughPrism()).toBeGreaterThan(200)
  })
})
