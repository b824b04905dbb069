import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { organizationAuditLog } from '../../../../contract/accounts/audit'
import * as jobs from '../../../../contract/fleet/device-jobs'
import { moveDevice } from '../../../../contract/fleet/device-lifecycle'
import { device as readDevice } from '../../../../contract/fleet/devices'
import { notifications } from '../../../../contract/accounts/notifications'
import { transferProject } from '../../../../contract/accounts/project-changes'
import { project as readProject } from '../../../../contract/accounts/projects'
import { startRollout } from '../../../../contract/updates/rollout-steps'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import type { Person } from '../../../../tests/support/people'
import { createRolloutFixture } from '../../../../tests/support/rollout-fixture'
import { createTestObjects } from '../../../../tests/support/test-objects'
import { notifications as notificationRows } from '../../../accounts/schema/notifications'
import { organizations } from '../../../accounts/schema/organizations'
import { projects } from '../../../accounts/schema/projects'
import { copyDdiDevice } from '../../../ddi/devices.repository'
import { hasUnapprovedRollout } from '../../../updates/rollouts/steps/unapproved.repository'
import { runDeviceJobs } from '../../device-jobs/run'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

/** An organization with a project that requires approval and one that does not, and a developer with a project of their own. */
const begin = async () => {
  const owner = await api.person({ name: 'Ola' })
  const home = await api.organization(owner, 'Orchard')
  const [strict, free] = [
    await api.project({ organizationId: home.id }, 'Field'),
    await api.project({ organizationId: home.id }, 'Bench'),
  ]
  await requireApproval(strict, true)
  const developer = await api.member(home.id, 'developer')
  const admin = await api.member(home.id, 'admin')
  const own = await api.project({ ownerId: developer.id }, 'Own')
  const device = (await createTestObjects(api.deps).device(strict)).id
  return { owner, home, strict, free, developer, admin, own, device }
}
type Scene = Awaited<ReturnType<typeof begin>>
let scene: Scene

const requireApproval = async (projectId: string, require_approval: boolean) => {
  const [row] = await api.db.select().from(projects).where(eq(projects.id, projectId))
  const settings = { ...row?.settings, require_approval } as NonNullable<typeof row>['settings']
  await api.ownerDb.update(projects).set({ settings }).where(eq(projects.id, projectId))
}
const requireApprovalEverywhere = async ({ id }: Scene['home'], require_release_approval: boolean) => {
  const [row] = await api.db.select().from(organizations).where(eq(organizations.id, id))
  const settings = { ...row?.settings, require_release_approval } as NonNullable<typeof row>['settings']
  await api.ownerDb.update(organizations).set({ settings }).where(eq(organizations.id, id))
}

const move = async (deviceId: string, project_id: string, as: Person) => {
  const { revision } = (await api.call(readDevice, { deviceId }, { as })).body
  const body = { project_id, without_trusted_key: true }
  return api.call(moveDevice, { deviceId }, { as, body, headers: { 'if-match': `"${revision}"` } })
}
const refused = { status: 403, error: { code: 'forbidden', required_permission: 'project:manage_members' } }

const bulk = (projectId: string, ids: string[], project_id: string, as: Person) => {
  const args = { project_id, without_trusted_key: true }
  const body = { selection: { ids }, expected_count: ids.length, action: 'move' as const, args }
  return api.call(jobs.bulkChangeDevices, { projectId }, { as, body })
}
const run = () => runDeviceJobs(api.deps, { copyClientState: copyDdiDevice, hasUnapprovedRollout })
const jobOf = async (jobId: string, as: Person) => (await api.call(jobs.deviceJob, { jobId }, { as })).body
const toldTo = async (as: Person) => (await api.call(notifications, {}, { as })).body.notifications

beforeEach(async () => void (scene = await begin()))

describe('a device of a project that requires approval', () => {
  it('is not moved by a developer to a project where no second person is needed, theirs or their organization’s', async () => {
    const { developer, device, own, free, strict } = scene
    const theirs = await api.organization(developer, 'Theirs')
    const equal = await api.project({ organizationId: theirs.id }, 'Equal')
    await requireApproval(equal, true)
    const plain = await move(device, free, developer)
    expect(plain).toMatchObject(refused)
    expect(plain.error.message).toBe(
      'Rollouts of Field need the approval of a second person, those of Bench do not. Somebody who may manage the members of Field can move its devices there',
    )
    const away = await move(device, own, developer)
    expect(away).toMatchObject(refused)
    expect(away.error.message).toBe(
      'Own does not belong to Orchard. Somebody who may manage the members of Field can move its devices out of Orchard',
    )
    // Whoever owns the other organization can turn its rule off.
    expect(await move(device, equal, developer)).toMatchObject(refused)
    expect((await api.call(readDevice, { deviceId: device }, { as: developer })).body.project_id).toBe(strict)
  })

  it('is moved by a developer to another project of the organization that requires approval, and by an admin anywhere', async () => {
    const { developer, admin, home, device, free } = scene
    const line = await api.project({ organizationId: home.id }, 'Line')
    await requireApproval(line, true)
    const there = await move(device, line, developer)
    expect([there.status, there.body.project_id]).toEqual([200, line])
    expect((await move(there.body.id, free, admin)).status).toBe(200)
  })

  it('is kept by the rule of the organization as by that of the project', async () => {
    const { developer, home, free, strict } = scene
    await requireApproval(strict, false)
    const mine = (await createTestObjects(api.deps).device(free)).id
    await requireApprovalEverywhere(home, true)
    const there = await move(mine, strict, developer)
    expect(there.status).toBe(200)
    await requireApprovalEverywhere(home, false)
    expect((await move(there.body.id, free, developer)).status).toBe(200)
  })

  it('is not moved by a developer to where a rollout that nobody approved would take it', async () => {
    const { developer, admin, free, device } = scene
    const play = await createRolloutFixture(api, developer, free, 1)
    const { id: rolloutId } = await play.make({ membership: 'dynamic' })
    expect((await api.call(startRollout, { rolloutId }, { as: developer, body: {} })).status).toBe(200)
    await requireApproval(free, true)
    const answer = await move(device, free, developer)
    expect(answer).toMatchObject(refused)
    expect(answer.error.message).toBe(
      'Bench has an open rollout that was started without the approval of a second person. Somebody who may manage the members of Field can move its devices there',
    )
    expect((await move(device, free, admin)).status).toBe(200)
  })
})

describe('a device of any project', () => {
  it('leaves its organization, or the space of a person who shares it, only by somebody who may manage the members there', async () => {
    const { developer, free, own, owner } = scene
    const objects = createTestObjects(api.deps)
    expect(await move((await objects.device(free)).id, own, developer)).toMatchObject(refused)
    const shared = await api.project({ ownerId: owner.id }, 'Shared')
    const guest = await api.guest(shared, 'maintainer')
    const theirs = await api.project({ ownerId: guest.id }, 'Theirs')
    const answer = await move((await objects.device(shared)).id, theirs, guest)
    expect(answer).toMatchObject(refused)
    expect(answer.error.message).toBe(
      'Theirs does not belong to the owner of Shared. Only the owner of Shared can move its devices out',
    )
  })

  it('that leaves its organization is told to the owners, by name, project and new owner, and to nobody else', async () => {
    const { owner, admin, developer, free, home } = scene
    const target = await api.project({ ownerId: admin.id }, 'Attic')
    const { id } = await createTestObjects(api.deps).device(free)
    const { name } = (await api.call(readDevice, { deviceId: id }, { as: admin })).body
    expect((await move(id, target, admin)).status).toBe(200)
    expect(await toldTo(owner)).toMatchObject([
      {
        kind: 'devices.moved_out',
        title: `${name} was moved out of Orchard`,
        text: 'The admin moved it from Bench to Attic, which does not belong to Orchard. From now on it gets the releases of that project.',
        project: null,
      },
    ])
    expect([await toldTo(admin), await toldTo(developer)]).toEqual([[], []])
    const query = { action: 'device.move' }
    const { entries } = (await api.call(organizationAuditLog, { organizationId: home.publicId }, { as: owner, query })).body
    expect(entries).toMatchObject([{ target: { id }, changes: [{ field: 'project', before: 'Bench', after: 'Attic' }] }])
    const mails = await api.db.select().from(notificationRows).where(eq(notificationRows.userId, owner.id))
    expect(mails.map(({ mailAt }) => mailAt === null)).toEqual([false])
  })
})

describe('a job of moves', () => {
  it('is refused as a whole, like a single move', async () => {
    const { developer, strict, free, own, device } = scene
    expect(await bulk(strict, [device], free, developer)).toMatchObject(refused)
    expect(await bulk(strict, [device], own, developer)).toMatchObject(refused)
  })

  it('stops when the rule changes before its devices are reached, and says why', async () => {
    const { developer, owner, strict, free, device } = scene
    await requireApproval(strict, false)
    const { job_id } = (await bulk(strict, [device], free, developer)).body
    await requireApproval(strict, true)
    await run()
    expect(await jobOf(job_id, developer)).toMatchObject({
      state: 'stopped',
      counts: { done: 0, cancelled: 1 },
      stop_reason: expect.stringContaining('need the approval of a second person'),
    })
    expect((await api.call(readDevice, { deviceId: device }, { as: owner })).body.project_id).toBe(strict)
  })

  it('is undone only by somebody who might move its devices back', async () => {
    const { developer, admin, strict, free, own } = scene
    const objects = createTestObjects(api.deps)
    const toOwn = (await bulk(own, [(await objects.device(own)).id], strict, developer)).body.job_id
    const toStrict = (await bulk(free, [(await objects.device(free)).id], strict, developer)).body.job_id
    await run()
    for (const jobId of [toOwn, toStrict]) {
      expect((await jobOf(jobId, developer)).counts.done).toBe(1)
      expect(await api.call(jobs.undoDeviceJob, { jobId }, { as: developer })).toMatchObject(refused)
    }
    const undone = await api.call(jobs.undoDeviceJob, { jobId: toStrict }, { as: admin })
    expect(undone.status).toBe(202)
    await run()
    expect((await jobOf(undone.body.job_id, admin)).counts.done).toBe(1)
  })

  it('that takes devices out of an organization is told to the owners once, with their number', async () => {
    const { owner, admin, free } = scene
    const objects = createTestObjects(api.deps)
    const ids = await Promise.all([1, 2, 3].map(async () => (await objects.device(free)).id))
    const attic = await api.project({ ownerId: admin.id }, 'Attic')
    expect((await bulk(free, ids, attic, admin)).status).toBe(202)
    await run()
    expect(await toldTo(owner)).toMatchObject([{ kind: 'devices.moved_out', title: '3 devices were moved out of Orchard' }])
  })
})

it('a project that is transferred is told to the owners of the organization that it leaves', async () => {
  const { owner, admin, developer, free, home } = scene
  const { revision } = (await api.call(readProject, { projectId: free }, { as: admin })).body
  const body = { organization_id: null, confirm_name: 'Bench' }
  const headers = { 'if-match': `"${revision}"` }
  expect((await api.call(transferProject, { projectId: free }, { as: developer, body, headers })).error).toMatchObject({
    required_permission: 'project:delete',
  })
  expect((await api.call(transferProject, { projectId: free }, { as: admin, body, headers })).status).toBe(200)
  expect(await toldTo(owner)).toMatchObject([
    {
      kind: 'project.moved_out',
      title: 'The project Bench was moved out of Orchard',
      text: 'The admin transferred it to their personal space, with its devices and releases.',
    },
  ])
  expect(home.id).not.toBe('')
})
