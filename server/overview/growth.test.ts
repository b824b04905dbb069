import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Endpoint } from '../../contract/core/endpoint'
import * as wire from '../../contract/device/endpoints'
import { endpoints } from '../../contract/endpoints'
import { previewRollBack } from '../../contract/updates/roll-backs'
import { previewRollout } from '../../contract/updates/rollout-plans'
import { nextWaitSample } from '../../contract/updates/rollouts'
import { type Read, readOf } from '../../tests/support/blocks'
import { isFull, repetitions } from '../../tests/support/counts'
import { checkInBody } from '../../tests/support/devices'
import { audited, createLargeFleet, type LargeFleet, revokedReleaseId } from '../../tests/support/large-fleet'
import { root } from '../core/root'
import { countDevicesOfPlan } from '../fleet/devices/repository'
import { countPlanUsage } from './plan-usage.repository'
import { within } from '../../tests/support/machine-load'

const sizes = [repetitions(1000, 10_000), repetitions(8000, 100_000)] as const
let fleets: [LargeFleet, LargeFleet]

beforeAll(async () => {
  fleets = [await createLargeFleet(sizes[0]), await createLargeFleet(sizes[1])]
}, within(1_800_000))

/** A line of test-results/growth.json, which a full run leaves. */
type Line = { request: string; returned: number; small: Read; large: Read }
const lines: Line[] = []

afterAll(async () => {
  const folder = join(root, 'test-results')
  await mkdir(folder, { recursive: true })
  if (isFull) await writeFile(join(folder, 'growth.json'), JSON.stringify({ sizes, lines }, null, 2))
  await Promise.all(fleets.map(({ api }) => api.close()))
})

type Query = Record<string, string | number>
/** `page`: the second page is read, and its rows are compared with those that it returns. */
type Asked = { of: string; query?: Query; page?: 2 }

/** Calls an endpoint whose path has only parts that are named as in `LargeFleet`. */
const call = async ({ api, ann, ...ids }: LargeFleet, { of, query }: Asked): Promise<Record<string, unknown>> => {
  const reply = await api.call(endpoints[of] as Endpoint, ids as never, { as: ann, query: query ?? {} })
  const { status, text, body } = reply as { status: number; text: string; body: Record<string, unknown> }
  expect(status, text).toBe(200)
  return body
}

/** The entries of all lists of an answer. */
const entriesIn = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0
  const own = Array.isArray(value) ? value.filter((one) => typeof one === 'object').length : 0
  return Object.values(value).reduce<number>((sum, one) => sum + entriesIn(one), own)
}

const sorts = ['name', 'serial_number', 'hardware_model', 'lifecycle', 'version', 'created_at', 'enrolled_at']
  .concat(['last_seen_at', 'connectivity', 'health', 'update'])
  .flatMap((sort) => [sort, `-${sort}`])
const filters: Query[] = [
  { tag: 'field' },
  { hardware_model: 'cam-rk3566' },
  { connectivity: 'offline' },
  { health: 'critical' },
  { version: '2.3' },
  { update: 'failed' },
  { lifecycle: 'active' },
  { tag: 'field', tag_mode: 'none' },
  { version_lt: 4 },
  { version_gt: 5, sort: 'version' },
  { last_seen_before: '2999-01-01T00:00:00+00:00' },
  { last_seen_before: '2999-01-01T00:00:00+00:00', sort: 'last_seen_at' },
  { quarantined: 'false' },
  { trusts_key: 'a'.repeat(64) },
  { 'attr.cpu_count': '4' },
  { 'attr.hostname': 'device-77' },
  { q: 'device 0001' },
  { q: 'device' },
  { release_id: revokedReleaseId },
  ...['any', 'critical', 'failed', 'revoked', 'flapping'].map((attention) => ({ attention })),
]
const list = 'devices.devices'
const rolloutLists: Query[] = [{}, { sort: '-name' }, { group: 'failed' }, { group: 'waiting', wave: '1' }]
const logFilters: Query[] = [{ level_max: 'warning' }, { q: 'line', unit: 'app' }, { at: 0 }, { from: 0 }]
const auditFilters: Query[] = [
  { action: 'device.enroll' },
  { action: 'device.disable' },
  { actor_id: audited.actorId },
  { target_kind: 'tag' },
  { target_id: audited.targetId },
  { target_id: audited.targetId, target_kind: 'tag' },
  { result: 'denied' },
  { from: '2026-06-01T11:50:00+00:00' },
  { from: '2026-06-01T11:50:00+00:00', to: '2026-06-01T11:55:00+00:00' },
]
// One with a unit, and one without.
const series = { names: 'cpu.usage_percent,app.queue_length', from: 0, to: 600_000 }

const asked: Asked[] = [
  ...sorts.flatMap((sort): Asked[] => [
    { of: list, query: { sort } },
    { of: list, query: { sort }, page: 2 },
  ]),
  ...filters.map((query): Asked => ({ of: list, query: { ...query, limit: 10 }, page: 2 })),
  { of: list, query: { q: 'zz' } },
  ...['000123', 'device', 'SN-99', '7', 'zz'].map((q): Asked => ({ of: 'search.searchProject', query: { q } })),
  ...['000123', 'zz'].map((q): Asked => ({ of: 'search.searchEverywhere', query: { q } })),
  { of: 'projects.personalProjects' },
  { of: 'projects.organizationProjects' },
  { of: 'projects.project' },
  { of: 'organization.organization' },
  { of: 'organizations.organizations' },
  { of: 'members.members' },
  { of: 'members.member' },
  { of: 'roleChanges.previewRoleChange', query: { base_role: 'viewer' } },
  { of: 'invites.invites' },
  { of: 'accessRequests.accessRequests' },
  { of: 'subscriptions.subscriptions' },
  { of: 'expirations.expirations' },
  { of: 'users.self' },
  { of: 'uploads.uploads' },
  { of: 'openSessions.listSessions' },
  { of: 'accountActivity.accountEvents' },
  { of: 'devices.device' },
  { of: 'tags.tags' },
  { of: 'tags.tag' },
  ...rolloutLists.flatMap((query): Asked[] => [
    { of: 'rollouts.rolloutDevices', query },
    { of: 'rollouts.rolloutDevices', query, page: 2 },
  ]),
  ...['device 000123', 'device', 'zz'].map((q): Asked => ({ of: 'rollouts.rolloutDevices', query: { q } })),
  { of: 'rollouts.projectRollouts' },
  { of: 'rollouts.releaseRollouts' },
  { of: 'rollouts.rollout' },
  { of: 'rollouts.rolloutTimeline' },
  { of: 'releases.releases' },
  { of: 'releases.release' },
  { of: 'releases.nextVersion' },
  { of: 'releases.returnVersions', query: { hardware_models: 'gw', below: 2 } },
  { of: 'releaseSigning.releaseManifest' },
  { of: 'components.releaseComponents' },
  { of: 'components.releaseSboms' },
  { of: 'modelCounts.modelCounts' },
  { of: 'monitor.overview' },
  { of: 'eventStream.storedEvents', query: { limit: 5 } },
  { of: 'monitor.projectMetricNames' },
  { of: 'monitor.projectMetrics', query: series },
  ...['tag', 'model', 'release'].map((group_by): Asked => ({
    of: 'monitor.projectMetrics',
    query: { ...series, names: 'app.queue_length', group_by, top: 7 },
  })),
  { of: 'monitor.deviceMetrics', query: series },
  { of: 'monitor.deviceMetricNames' },
  { of: 'keys.signingKeys' },
  { of: 'keys.signingKey' },
  { of: 'keys.signingKeyCoverage' },
  { of: 'keyLists.keyRotation' },
  { of: 'deviceImports.deviceImports' },
  { of: 'simulatedDevices.simulatedDevices' },
  { of: 'secure-boot/bundles.bundles' },
  { of: 'secure-boot/devices.deviceSecureBoot' },
  { of: 'components.findComponents' },
  { of: 'secure-boot/bundles.bundle' },
  { of: 'secure-boot/devices.bundleDevices' },
  { of: 'secure-boot/revocation.previewBundleRevocation' },
  { of: 'keys.previewKeyRevocation' },
  { of: 'access.enrollmentTokens' },
  { of: 'access.previewTokenRevocation' },
  { of: 'accessTokens.accessTokens' },
  { of: 'webhooks.webhooks' },
  { of: 'webhooks.webhookDeliveries' },
  { of: 'webhooks.webhookDeliveries', page: 2 },
  { of: 'notifications.notifications' },
  { of: 'notifications.notifications', page: 2 },
  ...['audit.projectAuditLog', 'audit.organizationAuditLog'].flatMap((of): Asked[] => [
    { of },
    { of, page: 2 },
    { of, query: { sort: 'sequence' }, page: 2 },
    ...auditFilters.map((query): Asked => ({ of, query: { limit: 10, ...query }, page: 2 })),
  ]),
  { of: 'audit.projectAuditChain' },
  { of: 'audit.organizationAuditChain' },
  { of: 'deviceUpdates.deviceInstallations' },
  { of: 'deviceUpdates.deviceUpdateEvents' },
  { of: 'deviceUpdates.updateDecision' },
  { of: 'deviceLogs.deviceSystemLogs', query: { limit: 2 } },
  { of: 'deviceLogs.deviceSystemLogs', query: { limit: 2, before_sequence: 3 } },
  { of: 'deviceJobs.deviceJobs' },
  { of: 'deviceJobs.deviceJob' },
  { of: 'deviceJobs.deviceJobRows', query: { limit: 10 } },
  { of: 'deviceJobs.deviceJobRows', query: { limit: 10 }, page: 2 },
  { of: 'deviceJobs.deviceJobRows', query: { result: 'failed' } },
  ...logFilters.map((query): Asked => ({ of: 'deviceLogs.deviceSystemLogs', query: { limit: 2, ...query } })),
  { of: 'deviceLogs.deviceLogVolume' },
  { of: 'deviceLogs.exportSystemLogs' },
  { of: 'logSummaries.logSummaries' },
  { of: 'deviceReports.deviceReport' },
  { of: 'deviceCommands.deviceCommands' },
  { of: 'savedViews.savedViews' },
]

/** Why a reading endpoint is not compared. */
const exceptions: Readonly<Record<string, string>> = {
  'deviceExports.exportDevices': 'reads each device of the filter, page by page',
  'audit.exportAuditLog': 'reads each entry of the filter, page by page',
  'audit.exportOrganizationAuditLog': 'reads each entry of the filter, page by page',
  'identities.listIdentities': 'reads the links of one person',
  'account.secondFactor': 'reads one person',
  'accountDeletion.accountDeletion': 'reads what one person owns',
  'accountDeletion.exportAccount': 'reads all of one person, page by page',
  'emailChange.emailChange': 'reads one person',
  'interstitials.interstitials': 'reads one person',
  'profile.profile': 'reads one person',
  'notifications.notificationSettings': 'reads one person',
  'clientBinaries.clientBinaries': 'reads no table',
  'eventStream.followEvents': 'does not end; begins with the newest events, read as the stored ones',
  'rollBacks.previewRollBack': 'counts the devices that would return: it reads each of them',
  'components.componentDifferences': 'compares the files of two releases',
  'releaseSigning.releaseToSign': 'reads the manifest of one release',
  'guests.projectMember': 'reads one person',
  'guests.projectMembers': 'only of a personal project: its people do not depend on its devices',
  'invites.projectInvites': 'only of a personal project: its people do not depend on its devices',
  'logSummaries.logSummary': 'reads one row by its id',
  'deviceCommands.deviceCommand': 'reads one row by its id',
  'logSummaries.logSummaryPlaintext': 'reads one row by its id',
  'secure-boot/fuse-plan.fusePlan': 'reads the files of one bundle',
  'secure-boot/fuse-plan.fusePlanScript': 'reads the files of one bundle',
}

/** With a project, an organization or all that a person sees; not invites, which one reads by a token. */
const isCompared = ({ method, needs }: Endpoint) => method === 'GET' && (needs.kind === 'session' || needs.kind === 'permission')

it('every reading endpoint of a person, organization or project is compared, or is an exception with a reason', () => {
  const reading = Object.entries(endpoints).flatMap(([name, one]) => (isCompared(one) ? [name] : []))
  const compared = new Set(asked.map(({ of }) => of))
  expect(reading.length).toBeGreaterThan(70)
  expect(reading.filter((name) => !compared.has(name) && !(name in exceptions))).toEqual([])
  expect(Object.keys(exceptions).filter((name) => compared.has(name) || !reading.includes(name))).toEqual([])
})

const checkIn = { of: wire.checkIn, body: checkInBody() }
const polls = [checkIn, { of: wire.update }, { of: wire.keyList, query: { counter: 0 } }]

const nameOf = ({ of, query = {}, page }: Asked) => {
  const text = Object.entries(query).map(([name, value]) => ` ${name}=${value}`)
  return `${of}${text.join('')}${page === 2 ? ', second page' : ''}`
}

// A level more of each index; the rows of a page of a small fleet share blocks, those of a large one need not.
const deeper = isFull ? 16 : 80
// Of the session, the person and the project.
const always = 30
// No index has the devices with any text, attribute or key in the order of a list: up to so many are looked at before a list reads
// in its own order.
const withTerms = 2500
const isByTerms = ({ query = {} }: Asked) => Object.keys(query).some((name) => /^(q|trusts_key|attr\..*)$/.test(name))

type Apart = { blocks?: number; rows?: number; reason: string }
const rareTexts = 'as many devices have parts of the text, but each lies in another block of the names'
const commonTexts = 'parts of the text are in all devices: the index of texts has a block of places for thousands of them'

/** Requests that read more blocks of a full fleet than of a small one, or more rows than they return: up to so many, and why. */
const apart: Readonly<Record<string, Apart>> = {
  'devices.devices q=device 0001 limit=10, second page': { blocks: 1000, reason: rareTexts },
  'devices.devices q=device limit=10, second page': { blocks: 100, reason: commonTexts },
  'rollouts.rolloutDevices q=device 000123': { blocks: 135, reason: commonTexts },
  'rollouts.rollout': { rows: 4 * nextWaitSample, reason: 'so many waiting devices are asked which of them is next' },
  'search.searchProject q=7': { blocks: 115, reason: rareTexts },
}

it('no exception names a request that is not compared', () => {
  expect(Object.keys(apart).filter((name) => !asked.some((one) => nameOf(one) === name))).toEqual([])
})

const compare = async (
  request: string,
  most: number,
  measure: (fleet: LargeFleet) => Promise<{ read: Read; returned: number }>,
) => {
  const [{ read: small }, { read: large, returned }] = [await measure(fleets[0]), await measure(fleets[1])]
  lines.push({ request, returned, small, large })
  expect(small.blocks).toBeGreaterThan(0)
  const { blocks = 0, rows = 0, reason = `${small.blocks} blocks in the small fleet` }: Partial<Apart> = apart[request] ?? {}
  expect.soft(large.blocks, reason).toBeLessThanOrEqual(Math.max(blocks, small.blocks * 1.2 + deeper))
  expect.soft(large.rows, `${returned} entries returned`).toBeLessThanOrEqual(Math.max(rows, 10 * returned + most))
}

describe('in a fleet of many times the size, as few blocks are read', () => {
  it.each(asked.map((one) => [nameOf(one), one] as const))('by %s', async (name, one) => {
    await compare(name, isByTerms(one) ? withTerms : always, async (fleet) => {
      const cursor = one.page === 2 ? (await call(fleet, one)).next_cursor : undefined
      const query = { ...one.query, ...(typeof cursor === 'string' && { cursor }) }
      let returned = 0
      const read = await readOf(fleet.api, async () => {
        returned = entriesIn(await call(fleet, { ...one, query }))
      })
      return { read, returned }
    })
  })

  it.each(polls.map((one) => [one.of.path, one] as const))('by %s of a device', async (name, { of, ...given }) => {
    await compare(name, always, async (fleet) => {
      const poll = async () => {
        const { status, text } = await fleet.api.call(of as Endpoint, {}, { as: fleet.token, ...given })
        expect(status, text).toBeLessThan(300)
      }
      // The first contact has news.
      await poll()
      return { read: await readOf(fleet.api, poll), returned: 1 }
    })
  })

  it.each<[string, (fleet: LargeFleet) => Promise<unknown>]>([
    ['the devices that count for the plan', ({ api, projectId }) => countDevicesOfPlan(api.db, projectId)],
    ['the use of the plan', ({ api, ann }) => countPlanUsage(api.db, { kind: 'user', id: ann.id })],
  ])('by %s', async (name, request) => {
    await compare(name, always, async (fleet) => ({ read: await readOf(fleet.api, () => request(fleet)), returned: 1 }))
  })
})

describe('what counts the devices that it would change reads no more for each of them', () => {
  it.each<[string, (fleet: LargeFleet) => Promise<{ status: number; text: string }>]>([
    [
      'a preview for all devices',
      ({ api, ann, releaseId }) => api.call(previewRollout, { releaseId }, { as: ann, body: { target: { everything: true } } }),
    ],
    [
      'a preview by tag',
      ({ api, ann, releaseId }) =>
        api.call(previewRollout, { releaseId }, { as: ann, body: { target: { tags_any: ['field'] } } }),
    ],
    ['a preview of a roll back', ({ api, ann, rolloutId }) => api.call(previewRollBack, { rolloutId }, { as: ann })],
  ])('%s', async (request, send) => {
    const measure = (fleet: LargeFleet) =>
      readOf(fleet.api, async () => {
        const { status, text } = await send(fleet)
        expect(status, text).toBe(200)
      })
    const [small, large] = [await measure(fleets[0]), await measure(fleets[1])]
    lines.push({ request, returned: 1, small, large })
    expect(large.blocks).toBeLessThanOrEqual((small.blocks * sizes[1] * 1.2) / sizes[0] + deeper)
  })
})
