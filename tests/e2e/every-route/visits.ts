/** What is expected of a route; the rules of `check-page.ts` check the rest. */
export type Visit = {
  /** The beginning of its heading. For a layout, the heading of a child. */
  heading: string
  /** Text on the page with data, and without. */
  data?: string
  empty?: string
  /** The text when it works without its reads; every other page has a Try again button. */
  error?: string
  /** A layout, with no content of its own except its errors. */
  around?: true
  /** Requests only what the frame has requested. */
  asksNothing?: true
}

const account = '/account/settings'
const organization = `${account}/organizations/list/$organizationId`
const projects = '/organizations/$organizationId/projects'
const project = `${projects}/$projectId`
const device = `${project}/devices/list/$deviceId`
const release = `${project}/releases/list/$releaseId`

/** Every page of the console. A route that is missing here fails the test. */
export const visits: Readonly<Record<string, Visit>> = {
  [account]: { heading: '', around: true, asksNothing: true },
  [`${account}/organizations/add`]: { heading: 'Add organization', asksNothing: true },
  [`${account}/organizations/list/`]: { heading: 'Organizations', data: 'Hedgerow Instruments', asksNothing: true },
  [organization]: { heading: '', around: true },
  [`${organization}/audit-log`]: { heading: '', data: 'invite.create', empty: 'organization.create' },
  [`${organization}/invites/`]: { heading: '', data: 'mara.feldt@hedgerow.example', empty: 'Not Found' },
  [`${organization}/invites/add`]: { heading: '', error: 'E-mail addresses' },
  [`${organization}/members`]: { heading: '', data: 'viewer', empty: 'you' },
  [`${organization}/summary`]: { heading: '' },
  [`${account}/notifications`]: { heading: 'Notifications', data: 'Orchard-Gateways' },
  [`${account}/profile`]: { heading: 'Profile' },
  [`${account}/security`]: { heading: 'Security' },
  [`${account}/subscriptions`]: { heading: 'Subscriptions' },
  '/download-binaries': { heading: 'Client Binaries' },
  [`${projects}/`]: { heading: 'Projects', data: 'Orchard-Gateways', empty: 'Get started by adding a project.' },
  [project]: { heading: '', around: true },
  [`${project}/access`]: { heading: 'Access', data: 'Field installation' },
  [`${project}/access/key-rotation`]: { heading: 'Key rotation', data: 'Key to replace', empty: 'Not Found' },
  [`${project}/access/webhooks`]: { heading: 'Webhooks', data: '127.0.0.1:9', empty: 'No webhooks yet' },
  [`${project}/auditLog`]: { heading: 'Audit Log', data: 'release.sign', empty: 'project.create' },
  [`${project}/devices/device-config-generator`]: { heading: 'Config Generator' },
  [`${project}/devices/import`]: { heading: 'Import Devices', data: 'Pasted lines', empty: 'Not Found' },
  [`${project}/devices/jobs/`]: { heading: 'Bulk Changes', data: 'Resume updates', empty: 'Not Found' },
  [`${project}/devices/jobs/$jobId`]: { heading: 'Resume updates', data: 'cam-0031' },
  [`${project}/devices/list/`]: { heading: 'Devices', data: 'gw-0417-north', empty: 'Not Found' },
  [device]: { heading: '', around: true },
  [`${device}/edit`]: { heading: 'Edit gw-0417' },
  [`${device}/commands`]: { heading: 'gw-0417', data: 'Collect diagnostics', empty: 'Not Found' },
  [`${device}/details`]: { heading: 'gw-0417', data: 'os.version', empty: 'The device has not reported any attributes.' },
  [`${device}/log-summaries`]: { heading: 'gw-0417', data: 'Memory ran out', empty: 'Not Found' },
  [`${device}/log-summaries-plaintext`]: {
    heading: 'gw-0417',
    data: 'Memory ran out',
    empty: 'This device has no summaries yet',
  },
  [`${device}/metrics`]: { heading: 'gw-0417', data: 'CPU temperature', empty: 'The device has not reported any metrics.' },
  [`${device}/system-logs`]: { heading: 'gw-0417', data: 'Out of memory', empty: 'Not Found' },
  [`${device}/update-events`]: { heading: 'gw-0417', data: 'Update confirmed', empty: 'Not Found' },
  [`${project}/devices/list/deleted`]: { heading: 'Deleted Devices', data: 'gw-0099-retired', empty: 'Not Found' },
  [`${project}/devices/list/add`]: { heading: 'Add Device' },
  [`${project}/members`]: { heading: '', around: true, asksNothing: true },
  [`${project}/members/invites/`]: { heading: 'Members', empty: 'Not Found' },
  [`${project}/members/invites/add`]: { heading: 'Invite people', error: 'E-mail addresses' },
  [`${project}/members/list/`]: { heading: 'Members', empty: 'you' },
  [`${project}/members/list/$memberId`]: { heading: 'Ines Marlow' },
  [`${project}/monitor`]: { heading: 'Monitor', data: 'CPU temperature', empty: 'No measurements yet' },
  [`${project}/releases/list/`]: { heading: 'Releases', data: 'Gateway unsigned', empty: 'Not Found' },
  [release]: { heading: '', around: true },
  [`${release}/assets`]: { heading: 'Gateway', data: 'gateway.bin', empty: 'Not Found' },
  [`${release}/compare`]: { heading: 'Gateway', data: 'gateway.bin', empty: 'This project has no other release.' },
  [`${release}/components`]: { heading: 'Gateway', data: 'openssl', empty: 'Not Found' },
  [`${release}/rollout`]: { heading: 'Start a rollout of Gateway', data: 'Passes all checks' },
  [`${release}/status`]: { heading: 'Gateway' },
  [`${project}/releases/list/add`]: { heading: 'Add Release' },
  [`${project}/releases/components`]: { heading: 'Components', data: 'openssl', empty: 'Not Found' },
  [`${project}/releases/rollouts/`]: { heading: 'Rollouts', data: 'Gateway #1', empty: 'Not Found' },
  [`${project}/releases/rollouts/$rolloutId`]: { heading: 'Gateway #1', data: 'Started' },
  [`${project}/secure-boot/list/`]: { heading: 'Secure Boot', data: 'Gateway boot', empty: 'Not Found' },
  [`${project}/secure-boot/list/$artifactsBundleId`]: { heading: 'Gateway boot', data: 'u-boot.dtb', empty: 'No file yet' },
  [`${project}/secure-boot/list/add`]: { heading: 'Add Bundle', data: 'Closing step' },
  [`${project}/settings/general`]: { heading: 'General', asksNothing: true },
  [`${project}/tags/list/`]: { heading: 'Tags', data: 'canary', empty: 'Not Found' },
  [`${project}/tags/list/$tagId/edit`]: { heading: 'canary' },
  [`${project}/tags/list/add`]: { heading: 'Add Tag', asksNothing: true },
  [`${projects}/add`]: { heading: 'Add Project', error: 'Up to 100 projects.' },
}
