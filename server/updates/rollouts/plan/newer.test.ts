import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eq } from 'drizzle-orm'
import * as rolloutPlans from '../../../../contract/updates/rollout-plans'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { fleet } from '../../../../tests/support/fleet'
import { createReleaseFixture } from '../../../../tests/support/release-fixture'
import { devices } from '../../../fleet/schema/devices'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

it('a preview says what the newer devices run and whose permission is missing to bring them back', async () => {
  const ines = await api.person()
  const projectId = await api.project({ ownerId: ines.id })
  const maker = await createReleaseFixture(api, ines, projectId)
  const { add } = fleet(api, projectId)
  const trustedKeys = [maker.key.publicKey.fingerprint]
  const old = await maker.signed({ version: 2, bytes: randomBytes(8) })
  const listing = await maker.signed({ version: 3, bytes: randomBytes(8), displayVersion: '3.0', mayReturnTo: [2] })
  const narrow = await maker.signed({ version: 4, bytes: randomBytes(8), mayReturnTo: [3] })
  const before = await maker.signedWithoutList({ version: 5, bytes: randomBytes(8) })
  await add({ count: 7, version: 3, releaseId: listing.id, trustedKeys })
  await add({ count: 3, version: 4, releaseId: narrow.id, trustedKeys })
  await add({ count: 2, version: 5, releaseId: before.id, trustedKeys })
  await add({ count: 1, version: 9, trustedKeys })
  await add({ count: 1, version: 1, trustedKeys })
  const [off = ''] = await add({ count: 1, version: 4, releaseId: narrow.id, trustedKeys })
  await api.db.update(devices).set({ updatesEnabled: false }).where(eq(devices.id, off))

  const seen = async (allow_downgrade: boolean) => {
    const body = { target: { everything: true }, allow_downgrade }
    return (await api.call(rolloutPlans.previewRollout, { releaseId: old.id }, { as: ines, body })).body
  }
  const plain = await seen(false)
  expect(plain.total).toBe(1)
  expect(plain.newer.map(({ version, reason, count, sample }) => [version, reason, count, sample.length])).toEqual([
    [3, 'rollout', 7, 5],
    [4, 'not_listed', 3, 3],
    [5, 'signed_before', 2, 2],
    [9, 'unknown_release', 1, 1],
  ])
  const newerCount = plain.newer.reduce((sum, { count }) => sum + count, 0)
  expect(plain.excluded.find(({ reason }) => reason === 'version_newer')?.count).toBe(newerCount)
  const allowed = await seen(true)
  expect(allowed.total).toBe(8)
  expect(allowed.newer.map(({ version }) => version)).toEqual([4, 5, 9])
})
