const id = '01HZZZZZZZZZZZZZZZZZZZZZZZ'
const bootId = '0b54b1e2-6f0e-4a3f-9d3a-6f1f0a9d7c11'
const reason = { reason: 'Fails on one hardware revision' }

const pem = '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n'

/** A certificate of an authority whose key is gone. */
export const authorityPem = `-----BEGIN CERTIFICATE-----
MIIBhjCCAS2gAwIBAgIUOYyXW91IcKroQ3aUk1kCoxs9jFcwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNRGV2aWNlcyBmaXJzdDAgFw0yNjExMjMwNDAwNDBaGA8yMTI2
MTAzMDA0MDA0MFowGDEWMBQGA1UEAwwNRGV2aWNlcyBmaXJzdDBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABAT3w2a5kU/WXPBOnk+I5/lZ93e/1AXZp71jG5/Z+nVy
sv4uTw/AsLX2ESzZEBR/EKNA49Q6R2aCdub1I2rSJiyjUzBRMB0GA1UdDgQWBBTz
LdxxMywmAI+sKi7z7ZFbLtvl0DAfBgNVHSMEGDAWgBTzLdxxMywmAI+sKi7z7ZFb
Ltvl0DAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCIBs+Cvwysz52
DLYleUgegWNWtVGay3ZIJ0sbYm9HbLG2AiA4Pt0u/U/mH1xklPVVrmEC6Nz0uHEP
Siv4ryO356Ohcw==
-----END CERTIFICATE-----`

/**
 * A valid body of each endpoint that takes JSON or a form, by `module.name`: an example of the OpenAPI document, and what the tests
 * send. A body that must name an object that exists gets its id from the test.
 */
export const samples: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'sessions.createSession': { code: 'x'.repeat(43), code_verifier: 'x'.repeat(43) },
  'account.changePassword': { current_password: 'x'.repeat(12), new_password: 'seven quiet herons wade' },
  'account.beginSecondFactor': { current_password: 'x'.repeat(12) },
  'account.confirmSecondFactor': { code: '123456' },
  'account.removeSecondFactor': { current_password: 'x'.repeat(12), code: '123456' },
  'account.renewRecoveryCodes': { current_password: 'x'.repeat(12), code: '123456' },
  'accountDeletion.deleteAccount': { confirm_email: 'mara@example.com', current_password: 'x'.repeat(12) },
  'emailChange.requestEmailChange': { email: 'ada@example.com', current_password: 'x'.repeat(12) },
  'identities.disconnectIdentity': { current_password: 'x'.repeat(12) },
  'notifications.readNotifications': { through: id },
  'notifications.changeNotificationSetting': { level: 'all' },
  'subscriptions.createCheckout': { organization_id: null, success_path: '/', cancel_path: '/' },
  'users.updateSelf': { full_name: 'Somebody Else' },
  'profile.saveProfile': { first_name: 'Somebody' },
  'profile.updateProfile': { first_name: 'Somebody' },
  'organization.createOrganization': { name: 'Another' },
  'organization.updateOrganization': { name: 'Renamed' },
  'organization.deleteOrganization': { confirm_name: 'Own' },
  'projectChanges.transferProject': { organization_id: null, confirm_name: 'One' },
  'members.updateMember': { base_role: 'viewer' },
  'guests.updateProjectMember': { base_role: 'viewer' },
  'invites.createInvites': { emails: ['somebody@example.com'], base_role: 'viewer' },
  'invites.createProjectInvites': { emails: ['somebody@example.com'], base_role: 'viewer' },
  'accessRequests.createAccessRequest': { permission: 'organization:delete' },
  'accessRequests.grantAccessRequest': { base_role: 'admin' },
  'projectChanges.createPersonalProject': { name: 'Another' },
  'projectChanges.createOrganizationProject': { name: 'Another' },
  'projectChanges.updateProject': { name: 'Renamed' },
  'projectChanges.deleteProject': { confirm_name: 'One' },
  'savedViews.createSavedView': { name: 'another', query: '', columns: [], dense: false, shared: false },
  'savedViews.updateSavedView': { dense: true },
  'tags.createTag': { name: 'another', colour: 'sky' },
  'tags.updateTag': { name: 'renamed' },
  'devices.createDevice': { name: 'another', hardware_model: 'gw-imx8m' },
  'deviceJobs.bulkChangeDevices': {
    selection: { ids: [id] },
    expected_count: 1,
    action: 'disable_updates',
  },
  'devices.updateDevice': { name: 'renamed' },
  'logSummaries.createLogSummary': { from: '2026-06-01T00:00:00+00:00', to: '2026-06-01T12:00:00+00:00' },
  'deviceLifecycle.moveDevice': { project_id: id, without_trusted_key: true },
  'deviceLifecycle.issueDeviceToken': { overlap_s: 0 },
  'deviceCommands.sendCommand': { command: 'reboot' },
  'access.createEnrollmentToken': { name: 'Another' },
  'accessTokens.createAccessToken': { name: 'Another', permissions: ['project:view'], lifetime_days: 7 },
  'accessTokens.rotateAccessToken': { overlap_s: 0 },
  'webhooks.createWebhook': { url: 'https://192.0.2.7/teasel', types: ['rollout.halted'] },
  'webhooks.updateWebhook': { types: ['rollout.halted', 'device.offline'] },
  'webhooks.rotateWebhookSecret': { overlap_s: 0 },
  'access.createAuthority': { name: 'Another', certificate_pem: authorityPem, hardware_model: 'gw-imx8m' },
  'configs.createDeviceConfig': {
    name: 'another',
    enrollment: 'group',
    hardware_model: 'gw-imx8m',
    server_url: 'http://localhost:8080',
    public_key_ids: [id],
    trial: true,
    persistent_directory: '/var/lib/teasel',
    install_root: '/opt/app',
    update_mode: 'file',
    polling_interval_s: 60,
    network_timeout_s: 30,
    download_retries: 10,
    metrics_interval_s: 60,
    logs_enabled: true,
    log_level: 'info',
    single_check: false,
    stop_after: 'none',
  },
  'clientConfigs.createClientConfig': {
    name: 'another',
    client: 'swupdate',
    enrollment: 'group',
    hardware_model: 'gw-imx8m',
    server_url: 'http://localhost:8080',
  },
  'configs.checkDeviceConfig': { config: {} },
  'releases.createRelease': { name: 'Another', version: 9, type: 'file', hardware_models: ['gw-imx8m'] },
  'releases.updateRelease': { name: 'Renamed' },
  'secure-boot/bundles.createBundle': {
    name: 'Another',
    version: 2,
    platform: 'u-boot-fit',
    hardware_models: ['gw-imx8m'],
  },
  'secure-boot/bundles.updateBundle': { name: 'Renamed' },
  'secure-boot/bundles.revokeBundle': reason,
  'secure-boot/artifacts.createArtifact': { role: 'fit_image', file_name: 'image.itb', size: 5 },
  'releaseAssets.createAsset': {
    name: 'another.bin',
    kind: 'payload',
    size: 5,
    install_location: '/opt/app/another.bin',
  },
  'releaseAssets.updateAsset': { install_location: '/opt/app/renamed.bin' },
  'releaseSigning.finalizeRelease': {},
  'releaseSigning.signRelease': { key_id: id, signature_base64: `${'A'.repeat(86)}==` },
  'releases.revokeRelease': reason,
  'keys.createSigningKey': { name: 'Another', algorithm: 'ed25519', public_key_pem: pem },
  'keys.revokeSigningKey': reason,
  'keyLists.publishKeyList': {
    payload_base64: 'e30gICAgICAgICAgICAg',
    key_id: id,
    signature_base64: `${'A'.repeat(86)}==`,
  },
  'rolloutPlans.previewRollout': { target: { everything: true } },
  'rolloutPlans.previewRolloutDevices': { target: { everything: true } },
  'rollouts.createRollout': { target: { everything: true }, preview_hash: '0'.repeat(64) },
  'rolloutSteps.startRollout': { now: true },
  'rolloutSteps.submitRollout': {},
  'rolloutSteps.approveRollout': {},
  'rolloutSteps.denyRollout': {},
  'rolloutSteps.pauseRollout': reason,
  'rolloutSteps.resumeRollout': reason,
  'rolloutSteps.haltRollout': reason,
  'rolloutSteps.cancelRollout': { mode: 'abort_all' },
  'rolloutSteps.rollBackRollout': reason,
  'device.enroll': {
    serial_number: 'SN-1',
    hardware_model: 'gw-imx8m',
    trusted_keys: [],
    client: { name: 'teasel-agent', version: '0.1.0', config_hash: '0'.repeat(64) },
  },
  'device.putAttributes': { 'os.name': 'changed' },
  'device.patchAttributes': { 'os.name': 'changed' },
  'device.commandResult': { state: 'done' },
  'device.checkIn': {
    boot_id: bootId,
    uptime_s: 60,
    installed: { release_id: id, version: 9, slot: null, confirmed: true },
    trusted_keys: [],
    secure_boot: { state: 'unknown', rollback_version: 0 },
    attributes_hash: '0'.repeat(64),
  },
  'device.updateEvents': {
    events: [
      {
        event_id: bootId,
        sequence: 1,
        type: 'install_completed',
        rollout_id: id,
        release_id: id,
        version: 9,
        ts_ms: 1_780_000_000_000,
      },
    ],
  },
  'device.metrics': { points: [{ name: 'cpu.load', unit: '%', ts_ms: 1_780_000_000_000, value: 12.5 }] },
  'ddi.putConfigData': { mode: 'merge', data: { 'os.name': 'changed' } },
  'ddi.putInstalledBase': { name: 'Another', version: '9' },
}
