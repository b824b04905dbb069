import { randomBytes } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { previewRollout } from '../../../../contract/updates/rollout-plans'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { repetitions } from '../../../../tests/support/counts'
import { addManyDevices } from '../../../../tests/support/many-devices'
import { createReleaseFixture } from '../../../../tests/support/release-fixture'
import { devices } from '../../../fleet/schema/devices'
import { releases } from '../../schema/releases'
import { signed } from '../../releases/signing/envelope'
import { checkEligibility } from '../decide/decision'
import { deviceFacts, releaseFacts } from '../decide/to-decision-facts'
import { membersOf } from './members'
import { planWaves } from './rank'
import { waveNumber } from './waves'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

const scene = async () => {
  const ines = await api.person({ name: 'Ines' })
  const projectId = await api.project({ ownerId: ines.id })
  const maker = await createReleaseFixture(api, ines, projectId)
  const { id: releaseId } = await maker.signed({ version: 3, bytes: randomBytes(64) })
  return { ines, projectId, releaseId, trustedKeys: [maker.key.publicKey.fingerprint] }
}

/** How many rows the database returns to this process during `work`. */
const countRows = async (work: () => Promise<void>) => {
  let rows = 0
  const { query } = Client.prototype as unknown as Record<'query', (this: Client, ...args: unknown[]) => unknown>
  const counting = async function (this: Client, ...args: unknown[]) {
    const result = (await query.apply(this, args)) as { rows?: unknown[] }
    rows += result.rows?.length ?? 0
    return result
  }
  const spy = vi.spyOn(Client.prototype, 'query').mockImplementation(counting as never)
  await work().finally(() => spy.mockRestore())
  return rows
}

it('a preview reads no more rows for ten times as many devices that are left out, and names five of them', async () => {
  const rowsOf = async (excluded: number) => {
    const { ines, projectId, releaseId, trustedKeys } = await scene()
    await addManyDevices(api, { projectId, count: 3, trustedKeys })
    await addManyDevices(api, { projectId, count: excluded, trustedKeys, lifecycle: 'pending' })
    await api.db.execute(sql`analyze devices`)
    return countRows(async () => {
      const body = { target: { everything: true } }
      const seen = await api.call(previewRollout, { releaseId }, { as: ines, body })
      expect(seen.status, seen.text).toBe(200)
      expect(seen.body.total).toBe(3)
      expect(seen.body.excluded).toHaveLength(1)
      expect(seen.body.excluded[0]).toMatchObject({ reason: 'lifecycle_active', count: excluded })
      expect(seen.body.excluded[0]?.sample.map(({ name }) => name)).toEqual(
        [1, 2, 3, 4, 5].map((n) => `pending ${String(n).padStart(6, '0')}`),
      )
    })
  }
  const few = repetitions(1000, 5000)
  expect(await rowsOf(10 * few)).toBe(await rowsOf(few))
})

it('a preview of a fleet gives each device the verdict that the checks give to it alone', async () => {
  const { projectId, releaseId, trustedKeys } = await scene()
  await addManyDevices(api, { projectId, count: 400, trustedKeys })
  const now = api.deps.clock()
  // Every device has a different combination of the facts that the checks use.
  await api.db.execute(sql`
    update devices set
      lifecycle = (array['active', 'active', 'active', 'active', 'pending', 'disabled'])[1 + n % 6],
      updates_enabled = n % 11 <> 0,
      updates_paused_until = case when n % 13 = 0 then ${now.toISOString()}::timestamptz + make_interval(secs => n % 3 - 1) end,
      quarantine_until = case when n % 7 = 0 then ${now.toISOString()}::timestamptz + make_interval(secs => n % 5 - 2) end,
      quarantine_release_id = case when n % 21 = 0 then ${releaseId} when n % 14 = 0 then 'another' end,
      hardware_model = case when n % 17 = 0 then 'cam' else 'gw' end,
      installed_version = case when n % 19 = 0 then null else 1 + n % 4 end,
      installed_release_id = case when n % 23 = 0 then ${releaseId} end,
      rollback_version = case when n % 29 = 0 then 5 end,
      protocol = case when n % 5 = 0 then 'ddi' else 'teasel' end,
      attributes = case when n % 10 = 0 then jsonb_build_object('hw_boardname', case when n % 20 = 0 then 'gw' else 'cam' end) else '{}' end
        || case when n % 3 = 1 then jsonb_build_object('installs', (array['files', 'images', 'files and images', 'other'])[1 + n / 3 % 4]) else '{}' end,
      trusted_keys = case when n % 3 = 0 then '{}' else trusted_keys end
    from (select id as own, row_number() over (order by id) as n from devices where project_id = ${projectId}) as numbered
    where id = own`)
  const [row] = await api.db.select().from(releases).where(eq(releases.id, releaseId))
  const release = row && (await signed(api.db, [row])).get(releaseId)
  if (!release) throw new Error('no release')
  const found = await membersOf(api.db, { projectId, target: { everything: true }, release, allowsDowngrade: false, now })

  const facts = releaseFacts(release)
  const rows = await api.db.select().from(devices).where(eq(devices.projectId, projectId)).orderBy(devices.id)
  const alone = rows.map((one) => {
    const device = { ...deviceFacts(one, new Map(), []), pausedUntil: null, trustedKeys: facts.signedBy }
    const rollout = { includesDevice: true, allowsDowngrade: false }
    const { failed } = checkEligibility({ now, device, project: { active: true }, release: facts, rollout })
    const { id, protocol } = one
    return { id, protocol, trusts: one.trustedKeys.length > 0, reason: failed?.name ?? null }
  })
  const members = alone.filter(({ reason }) => reason === null)
  expect(found.ids).toEqual(members.map(({ id }) => id))
  const isByClient = ({ protocol }: (typeof alone)[number]) => protocol === 'ddi'
  expect(found.trusting).toBe(members.filter((one) => one.trusts && !isByClient(one)).length)
  expect(found.byClient).toBe(members.filter(isByClient).length)
  const paused = rows.filter(
    (one) => one.updatesPausedUntil !== null && one.updatesPausedUntil > now && found.ids.includes(one.id),
  )
  expect(paused.length).toBeGreaterThan(0)
  expect(found.paused).toEqual({ count: paused.length, until: new Date(now.getTime() + 1000) })
  const reasons = [...new Set(alone.flatMap(({ reason }) => reason ?? []))]
  expect(reasons.length).toBeGreaterThan(6)
  expect(found.excluded.map(({ reason }) => reason).toSorted()).toEqual(reasons.toSorted())
  for (const { reason, count, sample } of found.excluded) {
    const own = alone.filter((one) => one.reason === reason).map(({ id }) => id)
    expect([reason, count, sample.map(({ id }) => id)]).toEqual([reason, own.length, own.slice(0, 5)])
  }
})

it('the database ranks devices into waves by the same number as this program', async () => {
  const rolloutId = '01JNV4E3S0000000000000R011'
  const ids = Array.from({ length: 1200 }, (_, n) => `01JNV4E3S0000000000${String(n).padStart(7, '0')}`)
  const gate = { min_success_percent: 90, max_failure_percent: 10, min_sample: 3, soak_s: 0, then: 'continue' } as const
  const waves = [10, 100].map((value) => ({ kind: 'percent' as const, value, gate }))
  const ranked = (some: string[]) =>
    some.toSorted((a, b) => waveNumber(rolloutId, a) - waveNumber(rolloutId, b) || (a < b ? -1 : 1))
  const first = ids.filter((id) => waveNumber(rolloutId, id) < 1000)
  const large = await planWaves(api.db, { rolloutId, deviceIds: ids, tagged: new Map() }, waves)
  expect(large.map(({ deviceIds }) => deviceIds)).toEqual([ranked(first), ranked(ids).slice(first.length)])
  const small = await planWaves(api.db, { rolloutId, deviceIds: ids.slice(0, 30), tagged: new Map() }, waves)
  expect(small.map(({ deviceIds }) => deviceIds)).toEqual([
    ranked(ids.slice(0, 30)).slice(0, 3),
    ranked(ids.slice(0, 30)).slice(3),
  ])
  expect(await planWaves(api.db, { rolloutId, deviceIds: [], tagged: new Map() }, waves)).toEqual([])
})
