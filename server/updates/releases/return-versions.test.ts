import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fromBase64, fromUtf8 } from '../../../contract/device/bytes'
import { readManifest } from '../../../contract/device/manifest'
import * as releaseSigning from '../../../contract/updates/release-signing'
import * as contract from '../../../contract/updates/releases'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { fleet } from '../../../tests/support/fleet'
import { createReleaseFixture } from '../../../tests/support/release-fixture'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

const scene = async () => {
  const ines = await api.person()
  const projectId = await api.project({ ownerId: ines.id })
  const maker = await createReleaseFixture(api, ines, projectId)
  const things = fleet(api, projectId)
  const add = (version: number, model = 'gw') => things.add({ count: 2, version, models: [model], trustedKeys: [] })
  const asked = async (hardware_models: string, below: number) => {
    const query = { hardware_models, below: String(below) }
    return (await api.call(contract.returnVersions, { projectId }, { as: ines, query })).body.versions
  }
  const signedList = async (releaseId: string) => {
    const { body } = await api.call(releaseSigning.releaseToSign, { releaseId }, { as: ines })
    const read = readManifest(fromBase64(body.payload_base64) ?? new Uint8Array())
    return 'manifest' in read ? read.manifest.may_return_to : fromUtf8(fromBase64(body.payload_base64) ?? new Uint8Array())
  }
  return { ines, projectId, maker, things, add, asked, signedList }
}

it('offers the versions that devices of the models run or can still be given, below the asked one', async () => {
  const play = await scene()
  await play.add(2)
  await play.add(4)
  await play.add(9)
  await play.add(3, 'cam')
  const ready = await play.maker.signed({ version: 5, bytes: randomBytes(8) })
  const gone = await play.maker.signed({ version: 6, bytes: randomBytes(8) })
  await api.call(contract.revokeRelease, { releaseId: gone.id }, { as: play.ines, body: { reason: 'Bricks' } })
  await play.maker.draft({ version: 7, bytes: randomBytes(8) })
  expect(ready.state).toBe('ready')
  expect(await play.asked('gw', 8)).toEqual([5, 4, 2])
  expect(await play.asked('gw, cam', 5)).toEqual([4, 3, 2])
  expect(await play.asked('other', 8)).toEqual([])
})

it('says of each version that is a release what people call it and how many devices run it', async () => {
  const { ines, projectId, maker, things, add } = await scene()
  const made = await maker.signed({ version: 5, bytes: randomBytes(8) })
  await add(2)
  await things.add({ count: 3, version: 5, releaseId: made.id, models: ['gw'], trustedKeys: [] })
  const query = { hardware_models: 'gw', below: '8' }
  const { body } = await api.call(contract.returnVersions, { projectId }, { as: ines, query })
  expect(body).toEqual({ versions: [5, 2], releases: [{ version: 5, display_version: made.display_version, devices: 3 }] })
})

it('signs the versions that the devices run when no list was given', async () => {
  const play = await scene()
  await play.add(1)
  await play.add(3)
  const made = await play.maker.signed({ version: 4, bytes: randomBytes(8) })
  expect(made.may_return_to).toEqual([1, 3])
  expect(await play.signedList(made.id)).toEqual([1, 3])
})

it('fills the list again after the release was reopened, and keeps a list that a person wrote', async () => {
  const play = await scene()
  await play.add(1)
  const built = async (version: number, mayReturnTo?: number[]) => {
    const { releaseId } = await play.maker.filled({ version, bytes: randomBytes(8), ...(mayReturnTo && { mayReturnTo }) })
    const finalize = () => api.call(releaseSigning.finalizeRelease, { releaseId }, { as: play.ines, body: {} })
    const first = (await finalize()).body.release.may_return_to
    const reopened = (await api.call(releaseSigning.reopenRelease, { releaseId }, { as: play.ines })).body.may_return_to
    return { first, reopened, finalize }
  }
  const filled = await built(4)
  expect([filled.first, filled.reopened]).toEqual([[1], null])
  await play.add(3)
  expect((await filled.finalize()).body.release.may_return_to).toEqual([1, 3])
  const written = await built(5, [2])
  expect([written.first, written.reopened]).toEqual([[2], [2]])
})

it('signs the list that a person wrote, even an empty one', async () => {
  const play = await scene()
  await play.add(1)
  const some = await play.maker.signed({ version: 4, bytes: randomBytes(8), mayReturnTo: [3, 2, 3] })
  expect(some.may_return_to).toEqual([2, 3])
  expect(await play.signedList(some.id)).toEqual([2, 3])
  const none = await play.maker.signed({ version: 5, bytes: randomBytes(8), mayReturnTo: [] })
  expect(await play.signedList(none.id)).toEqual([])
})

it('refuses a list that names the version itself or a newer one, in a new draft and in a changed one', async () => {
  const { ines, projectId, maker } = await scene()
  const body = { name: 'Firmware', version: 4, type: 'file' as const, hardware_models: ['gw'], may_return_to: [2, 4] }
  const refused = await api.call(contract.createRelease, { projectId }, { as: ines, body })
  expect([refused.status, refused.error.details[0]?.field, refused.error.details[0]?.message]).toEqual([
    422,
    'may_return_to',
    'May return to lists versions below 4; 4 is not',
  ])
  const { releaseId } = await maker.draft({ version: 4, bytes: randomBytes(8), mayReturnTo: [3] })
  const before = await api.call(contract.release, { releaseId }, { as: ines })
  const headers = { 'if-match': `"${before.body.revision}"` }
  const lowered = await api.call(contract.updateRelease, { releaseId }, { as: ines, headers, body: { version: 2 } })
  expect([lowered.status, lowered.error.details[0]?.field]).toEqual([422, 'may_return_to'])
  const emptied = await api.call(contract.updateRelease, { releaseId }, { as: ines, headers, body: { may_return_to: null } })
  expect(emptied.body.may_return_to).toBeNull()
})
