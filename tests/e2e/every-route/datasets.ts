import { randomBytes } from 'node:crypto'
import { createAccessRequest } from '../../../contract/accounts/access-requests'
import { deleteDevice } from '../../../contract/fleet/device-lifecycle'
import { bulkChangeDevices } from '../../../contract/fleet/device-jobs'
import { importDevices } from '../../../contract/fleet/device-imports'
import { generateSigningKey } from '../../../contract/device/private-key'
import { pemOf } from '../../../contract/device/public-key'
import { createDevice } from '../../../contract/fleet/devices'
import { projectMembers } from '../../../contract/accounts/guests'
import { createInvites, createProjectInvites } from '../../../contract/accounts/invites'
import { createOrganization } from '../../../contract/accounts/organization'
import { createOrganizationProject, createPersonalProject } from '../../../contract/accounts/project-changes'
import { createRelease } from '../../../contract/updates/releases'
import { createArtifact } from '../../../contract/updates/secure-boot/artifacts'
import { createBundle } from '../../../contract/updates/secure-boot/bundles'
import { createTag } from '../../../contract/fleet/tags'
import { self } from '../../../contract/accounts/users'
import { createWebhook, testWebhook } from '../../../contract/accounts/webhooks'
import { artifacts } from '../support/artifacts'
import { call } from '../support/call'
import { type Hosts, newUser, subscriber, type Visitor } from '../support/hosts'
import { join } from '../support/members'
import { signInOverHttp } from '../support/visitor'
import { openFleet } from './fleet'

type Params = Readonly<Record<string, string>>
/**
 * The visitor, the URLs of a route (one as a rule, none without an object of its kind), and how the names of the objects begin
 * that a parameter of a route stands for.
 */
export type Dataset = { visitor: Visitor; addressesOf: (route: string) => readonly string[]; names: Params }

const projectAt = '/organizations/$organizationId/projects/$projectId'
const stands = /\$(\w+)/g
/** The URLs of a route with its parameters, none if one is missing. Projects are personal unless they are marked as owned. */
const addressOf = (route: string, params: Params): readonly string[] => {
  const all: Params = route.startsWith(projectAt) ? { organizationId: 'none', ...params } : params
  const names = [...route.matchAll(stands)].map(([, name = '']) => name)
  return names.every((name) => all[name] !== undefined) ? [route.replace(stands, (_, name: string) => all[name] ?? '')] : []
}

const long = 'Orchard-Gateways-of-the-irrigation-network-with-their-cameras'

const guest = (hosts: Hosts, projectId: string, { email }: Visitor) =>
  hosts.sql(
    `insert into project_guests (project_id, user_id, role, joined_at)
     select $1, id, 'viewer', now() from users where email = $2`,
    [projectId, email],
  )

const makeOrganization = async (hosts: Hosts, owner: Visitor): Promise<Params> => {
  const as = owner.token
  const { body } = await call(hosts.api, createOrganization, {}, { as, body: { name: 'Hedgerow Instruments' } })
  const organizationId = body.public_id
  const [vera, otto] = [await newUser(hosts), await newUser(hosts)]
  await join(hosts, organizationId, vera, 'viewer')
  await join(hosts, organizationId, otto, 'developer')
  const asked = { permission: 'project:create' as const, reason: 'The bench needs one of its own' }
  await call(hosts.api, createAccessRequest, { organizationId }, { as: vera.token, body: asked })
  const invited = { emails: ['mara.feldt@hedgerow.example', `${long}@hedgerow.example`], base_role: 'viewer' as const }
  await call(hosts.api, createInvites, { organizationId }, { as, body: invited })
  const project = { name: long, description: 'Field gateways, with the cameras and sensors behind them.' }
  const { body: owned } = await call(hosts.api, createOrganizationProject, { organizationId }, { as, body: project })
  return { organizationId, projectId: owned.id }
}

const sbom = (version: string) => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  components: [
    {
      name: 'openssl',
      version,
      purl: `pkg:generic/openssl@${version}`,
      licenses: [{ license: { id: 'Apache-2.0' } }],
      supplier: { name: 'OpenSSL Software Foundation' },
    },
    { name: long, version: '2026.11.22-rc.1+build.20261122' },
  ],
})

const makeReleases = async (hosts: Hosts, owner: Visitor, projectId: string) => {
  const made = await artifacts(hosts, owner, projectId)
  const fleet = await openFleet(hosts, owner, projectId, made.fingerprint)
  const device = await fleet.add('gw-0417-north')
  const others = [await fleet.add(`${long}-1`), await fleet.add('gw-0419-south'), await fleet.add('gw-0420-south')]
  await fleet.measure(device)
  await fleet.write(device)
  await fleet.command(device)
  const releaseId = await made.signed({ name: 'Gateway', version: 20_500, bytes: Buffer.alloc(3000, 'a'), sbom: sbom('3.0.15') })
  const draft = await made.filled({
    name: 'Gateway to be',
    version: 20_600,
    bytes: Buffer.alloc(3000, 'b'),
    sbom: sbom('3.0.13'),
  })
  const unsigned = await made.awaiting({ name: 'Gateway unsigned', version: 20_700, bytes: Buffer.alloc(3000, 'c') })
  const rolloutId = await fleet.rollOut(releaseId)
  const [one, other] = others
  const begun = [{ type: 'update_accepted' }, { type: 'download_started' }, { type: 'download_completed' }] as const
  await fleet.install(device, ...begun, { type: 'verification_passed' }, { type: 'update_confirmed' })
  if (one) await fleet.install(one, ...begun, { type: 'verification_failed', reason_code: 'hash_mismatch' })
  if (other) await fleet.install(other, ...begun)
  return { deviceId: device.id, releaseId, rolloutId, draft, unsigned: unsigned.releaseId }
}

/** A bundle with a key, a fuse word and a file whose bytes are not there yet. */
const makeBundle = async ({ api }: Hosts, { token: as }: Visitor, projectId: string) => {
  const word = { bank: 0, word: 6, name: 'SEC_CONFIG', value_hex: '2', mask_hex: '2', irreversible: true }
  const body = {
    name: 'Gateway boot',
    version: 1,
    platform: 'u-boot-fit' as const,
    hardware_models: ['gw-imx8m'],
    description: 'Boots only images that the release key has signed.',
    keys: [{ slot: 0, public_key_pem: pemOf((await generateSigningKey('ecdsa-p256')).publicKey) }],
    fuse_config: { words: [{ ...word, purpose: 'feature' as const }], close_step: null, debug_lock: 'closed' as const },
  }
  const { body: made } = await call(api, createBundle, { projectId }, { as, body })
  const file = { role: 'device_tree' as const, file_name: 'u-boot.dtb', size: 4096 }
  await call(api, createArtifact, { bundleId: made.id }, { as, body: file })
  return made.id
}

/** An organization and a personal project with data in every list. */
export const busy = async (hosts: Hosts): Promise<Dataset> => {
  const visitor = await subscriber(hosts)
  const { api } = hosts
  const as = visitor.token
  await (await signInOverHttp(hosts, visitor)).redeem()
  const owned = await makeOrganization(hosts, visitor)
  const { body: project } = await call(api, createPersonalProject, {}, { as, body: { name: long } })
  const projectId = project.id
  const tag = { name: 'canary', colour: 'ochre' as const, description: 'Gets a release before anyone else' }
  const { body: canary } = await call(api, createTag, { projectId }, { as, body: tag })
  await call(api, createTag, { projectId }, { as, body: { name: 'north-slope', colour: 'sky' } })
  const hook = { url: 'http://127.0.0.1:9/teasel', types: ['rollout.halted' as const, 'update.failed' as const] }
  const { body: webhook } = await call(api, createWebhook, { projectId }, { as, body: hook })
  await call(api, testWebhook, { webhookId: webhook.id }, { as })
  const camera = { name: 'cam-0031', hardware_model: 'cam-rk3566', tags: ['canary', 'north-slope'] }
  const { body: shown } = await call(api, createDevice, { projectId }, { as, body: camera })
  const change = { selection: { ids: [shown.id] }, expected_count: 1, action: 'resume' as const }
  const { body: job } = await call(api, bulkChangeDevices, { projectId }, { as, body: change })
  const retired = { name: 'gw-0099-retired', hardware_model: 'gw-imx8m', serial_number: 'GW-0099' }
  const { body: gone } = await call(api, createDevice, { projectId }, { as, body: retired })
  await call(api, deleteDevice, { deviceId: gone.id }, { as, headers: { 'if-match': `"${gone.revision}"` } })
  // A token belongs to one device: hosts are shared with other tests.
  const security_token = randomBytes(16).toString('hex')
  const former = { controller_id: 'cam-0042', hardware_model: 'cam-rk3566', security_token }
  const { body: imported } = await call(api, importDevices, { projectId }, { as, rows: JSON.stringify(former) })
  if (imported.created !== 1) throw new Error(`The device was not imported: ${JSON.stringify(imported.errors)}`)
  const { deviceId, releaseId, rolloutId, draft, unsigned } = await makeReleases(hosts, visitor, projectId)
  await guest(hosts, projectId, await newUser(hosts))
  const invited = { emails: ['mara.feldt@hedgerow.example'], base_role: 'operator' as const }
  await call(api, createProjectInvites, { projectId }, { as, body: invited })
  const { body } = await call(api, projectMembers, { projectId }, { as })
  const memberId = body.members.find(({ user }) => user.email !== visitor.email)?.user.id ?? ''
  const artifactsBundleId = await makeBundle(hosts, visitor, projectId)
  const own = { projectId, deviceId, releaseId, rolloutId, tagId: canary.id, memberId, artifactsBundleId, jobId: job.job_id }
  const more: Readonly<Record<string, readonly Params[]>> = {
    [`${projectAt}/releases/list/$releaseId/status`]: [{ releaseId: draft }, { releaseId: unsigned }],
    [`${projectAt}/members/list/`]: [owned],
  }
  return {
    visitor,
    names: {
      organizationId: 'Hedgerow Instruments',
      projectId: long,
      deviceId: 'gw-0417-north',
      releaseId: 'Gateway',
      rolloutId: 'Gateway #1',
      tagId: 'canary',
      memberId: 'Ines Marlow',
      artifactsBundleId: 'Gateway boot',
      jobId: 'Resume updates',
    },
    addressesOf: (route) =>
      [{}, ...(more[route] ?? [])].flatMap((params) =>
        addressOf(route, { ...(!route.startsWith(projectAt) && owned), ...own, ...params }),
      ),
  }
}

/** An account with an empty organization and project. */
export const fresh = async (hosts: Hosts): Promise<Dataset> => {
  const visitor = await subscriber(hosts)
  const { api } = hosts
  const as = visitor.token
  const { body: organization } = await call(api, createOrganization, {}, { as, body: { name: 'Orchard' } })
  const organizationId = organization.public_id
  const newProject = async (name: string) => (await call(api, createPersonalProject, {}, { as, body: { name } })).body.id
  const [projectId, begun] = [await newProject('Bench'), await newProject('Orchard')]
  // A device that never checked in, a draft without files, an unused tag, a project with one member.
  const gateway = { name: 'gw-0417', hardware_model: 'gw' }
  const device = await call(api, createDevice, { projectId: begun }, { as, body: gateway })
  const draft = { name: 'Gateway', version: 1, type: 'file' as const, hardware_models: ['gw'] }
  const release = await call(api, createRelease, { projectId: begun }, { as, body: draft })
  const tag = await call(api, createTag, { projectId: begun }, { as, body: { name: 'canary', colour: 'sky' } })
  const { body: me } = await call(api, self, {}, { as })
  const boot = { name: 'Gateway boot', version: 1, platform: 'u-boot-fit' as const, hardware_models: ['gw'] }
  const bundle = await call(api, createBundle, { projectId: begun }, { as, body: boot })
  const ids = {
    deviceId: device.body.id,
    releaseId: release.body.id,
    tagId: tag.body.id,
    memberId: me.data.id,
    artifactsBundleId: bundle.body.id,
  }
  const named = {
    deviceId: 'gw-0417',
    releaseId: 'Gateway',
    tagId: 'canary',
    memberId: 'Ines Marlow',
    artifactsBundleId: 'Gateway boot',
  }
  return {
    visitor,
    names: { organizationId: 'Orchard', projectId: '', ...named },
    addressesOf: (route) => {
      const begins = Object.keys(ids).some((name) => route.includes(`$${name}`))
      const own = { ...ids, projectId: begins ? begun : projectId }
      return addressOf(route, route.startsWith(projectAt) ? own : { ...own, organizationId })
    },
  }
}

/** A new account without anything. */
export const bare = async (hosts: Hosts): Promise<Dataset> => ({
  visitor: await newUser(hosts),
  names: {},
  addressesOf: (route) =>
    route.startsWith('/account/settings/organizations/list/$') ? [] : addressOf(route, { organizationId: 'none' }),
})
