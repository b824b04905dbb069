import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createInvites } from '../../contract/accounts/invites'
import { overview } from '../../contract/overview/monitor'
import { createTestApi, type TestApi } from '../../tests/support/api'
import type { Person } from '../../tests/support/people'
import { createReleaseFixture } from '../../tests/support/release-fixture'
import { createRolloutFixture } from '../../tests/support/rollout-fixture'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

const setupOf = async (projectId: string, as: Person) => (await api.call(overview, { projectId }, { as })).body.setup

it('the setup of a project follows its key, its release and its rollout until that is completed', async () => {
  const ines = await api.person({ name: 'Ines' })
  const projectId = await api.project({ ownerId: ines.id })
  const setup = () => setupOf(projectId, ines)
  expect(await setup()).toEqual({ key: false, release: 'none', rollout: 'none', people: 'one' })

  const { draft } = await createReleaseFixture(api, ines, projectId)
  expect(await setup()).toMatchObject({ key: true, release: 'none' })
  await draft({ version: 1, bytes: randomBytes(8) })
  expect(await setup()).toMatchObject({ release: 'added', rollout: 'none' })

  const play = await createRolloutFixture(api, ines, projectId, 1)
  expect(await setup()).toMatchObject({ release: 'signed', rollout: 'none' })
  await play.make()
  expect(await setup(), 'a draft of a rollout is not open').toMatchObject({ rollout: 'none' })
  const { id: rolloutId } = await play.start()
  expect(await setup()).toMatchObject({ rollout: 'open' })
  await play.round()
  await play.tick()
  // The soak of its only wave.
  api.advance(61)
  await play.tick()
  expect(await play.read(rolloutId)).toMatchObject({ state: 'completed' })
  expect(await setup()).toMatchObject({ rollout: 'completed' })
})

it('an open invite of an organization counts for those who may invite, until it expires', async () => {
  const founder = await api.person({ name: 'Ines' })
  const { id, publicId: organizationId } = await api.organization(founder, 'Orchard')
  const projectId = await api.project({ organizationId: id })
  expect(await setupOf(projectId, founder)).toMatchObject({ people: 'one' })
  const body = { emails: ['guest@example.com'], base_role: 'viewer' as const }
  expect((await api.call(createInvites, { organizationId }, { as: founder, body })).status).toBe(201)
  expect(await setupOf(projectId, founder)).toMatchObject({ people: 'invited' })
  api.advance(30 * 86_400)
  const later = { ...founder, ...(await api.session(founder.id)) }
  expect(await setupOf(projectId, later)).toMatchObject({ people: 'one' })
})
