import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectAuditLog } from '../../../../contract/accounts/audit'
import { overview } from '../../../../contract/overview/monitor'
import { rolloutTimeline } from '../../../../contract/updates/rollouts'
import * as steps from '../../../../contract/updates/rollout-steps'
import { createTestApi, type TestApi } from '../../../../tests/support/api'
import { createRolloutFixture } from '../../../../tests/support/rollout-fixture'
import { members } from '../../../accounts/schema/organizations'
import { releases } from '../../schema/releases'
import { rollouts } from '../../schema/rollouts'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

const inSeconds = (seconds: number) => `${new Date(api.deps.clock().getTime() + seconds * 1000).toISOString().slice(0, 19)}+00:00`

/** A project that requires approval, its maintainer and its approver, and a rollout that waits for approval. */
const asked = async (startAt: string | null = null, endAt: string | null = null) => {
  const approver = await api.person({ name: 'Ola' })
  const organization = await api.organization(approver)
  const projectId = await api.project({ organizationId: organization.id })
  const maintainer = await api.member(organization.id, 'admin')
  await api.db.execute(`update projects set settings = settings || '{"require_approval": true}' where id = '${projectId}'`)
  const play = await createRolloutFixture(api, maintainer, projectId, 2)
  const { id: rolloutId } = await play.make({ start_at: startAt, end_at: endAt })
  const submitted = await api.call(steps.submitRollout, { rolloutId }, { as: maintainer, body: {} })
  expect(submitted.body.state).toBe('pending_approval')
  const approve = () => api.call(steps.approveRollout, { rolloutId }, { as: approver, body: { comment: 'Fine' } })
  const log = async () => (await api.call(projectAuditLog, { projectId }, { as: approver })).body.entries
  return { ...play, approver, maintainer, rolloutId, submitted: submitted.body, approve, log }
}

describe('approval', () => {
  it('starts a rollout without a start time at once', async () => {
    const play = await asked()
    const approved = await play.approve()
    expect(approved.body).toMatchObject({ state: 'running', current_wave: 1, approval: { decided_by: 'Ola' } })
    expect(await play.round()).toBe(2)
  })

  it('keeps a rollout with a start time scheduled until then', async () => {
    const play = await asked(inSeconds(600))
    expect((await play.approve()).body).toMatchObject({ state: 'scheduled', started_at: null })
    await play.tick()
    expect((await play.read(play.rolloutId)).state).toBe('scheduled')
    api.advance(601)
    await play.tick()
    expect((await play.read(play.rolloutId)).state).toBe('running')
    expect((await play.log())[0]).toMatchObject({ action: 'rollout.start', actor: { kind: 'system', name: 'Schedule' } })
  })

  it('does not start a rollout whose maker may no longer release, until a person who may does', async () => {
    const play = await asked(inSeconds(600))
    expect((await play.approve()).body.state).toBe('scheduled')
    await api.db.update(members).set({ baseRole: 'viewer' }).where(eq(members.userId, play.maintainer.id))
    api.advance(601)
    await play.tick()
    await play.tick()
    expect(await play.read(play.rolloutId)).toMatchObject({
      state: 'scheduled',
      state_reason:
        'It waits for a person: The admin, who created it, may no longer manage releases here. Start it now, or cancel it',
    })
    const { body } = await api.call(rolloutTimeline, { rolloutId: play.rolloutId }, { as: play.approver })
    expect(body.entries.filter(({ kind }) => kind === 'rollout.held')).toHaveLength(1)
    const begun = await api.call(steps.startRollout, { rolloutId: play.rolloutId }, { as: play.approver, body: {} })
    expect([begun.status, begun.body.state, begun.body.state_reason]).toEqual([200, 'running', null])
  })

  it('is refused once the manifest of the release has expired', async () => {
    const play = await asked()
    await api.db.update(releases).set({ expiresAt: api.deps.clock() }).where(eq(releases.id, play.release.id))
    const approved = await play.approve()
    expect([approved.status, approved.error.code]).toEqual([409, 'manifest_expired'])
    expect((await play.read(play.rolloutId)).state).toBe('pending_approval')
  })

  it('is refused once the end of the rollout has passed', async () => {
    const play = await asked(null, inSeconds(600))
    api.advance(601)
    const approved = await play.approve()
    expect([approved.status, approved.error.message]).toEqual([
      409,
      'The end time of this rollout has passed. Create a new one instead',
    ])
    expect((await play.read(play.rolloutId)).state).toBe('pending_approval')
  })

  it('is pending with names: the rollout and the overview list who may not approve', async () => {
    const play = await asked()
    const { id } = play.maintainer
    const name = 'The admin'
    expect(play.submitted).toMatchObject({ created_by: { id, name }, approval: { asked_by: name, asked_by_id: id } })
    const seen = await api.call(overview, { projectId: play.projectId }, { as: play.approver })
    expect(seen.body.rollouts).toMatchObject([{ id: play.rolloutId, state: 'pending_approval', asked_by: [name] }])
  })
})

it('a draft from before the rule is not started alone once the project or its organization requires approval', async () => {
  const owner = await api.person()
  const organization = await api.organization(owner)
  const projectId = await api.project({ organizationId: organization.id })
  const developer = await api.member(organization.id, 'developer')
  const play = await createRolloutFixture(api, developer, projectId, 1)
  const { id: rolloutId } = await play.make({})
  const begin = () => api.call(steps.startRollout, { rolloutId }, { as: developer, body: {} })
  for (const [table, field, id] of [
    ['projects', 'require_approval', projectId],
    ['organizations', 'require_release_approval', organization.id],
  ] as const) {
    const set = (on: boolean) =>
      api.ownerDb.execute(`update ${table} set settings = settings || '{"${field}": ${on}}' where id = '${id}'`)
    await set(true)
    const refused = await begin()
    expect([refused.status, refused.error.code, refused.error.message]).toEqual([
      409,
      'approval_needed',
      'The project requires the approval of another person since this rollout was created: cancel it and create it again',
    ])
    await set(false)
  }
  expect((await begin()).body.state).toBe('running')
})

describe('a scheduled rollout', () => {
  it('can be started early by a person', async () => {
    const play = await asked(inSeconds(600))
    await play.approve()
    const params = { rolloutId: play.rolloutId }
    const again = await api.call(steps.startRollout, params, { as: play.maintainer, body: {} })
    expect(again.body.state).toBe('scheduled')
    const early = await api.call(steps.startRollout, params, { as: play.maintainer, body: { now: true } })
    expect(early.body.state).toBe('running')
  })

  it('without a start time is started by the next tick', async () => {
    const play = await asked()
    await api.db.update(rollouts).set({ phase: 'scheduled' }).where(eq(rollouts.id, play.rolloutId))
    await play.tick()
    expect(await play.read(play.rolloutId)).toMatchObject({ state: 'running', current_wave: 1 })
  })

  it('says why it cannot start when its release expires before its time', async () => {
    const play = await asked(inSeconds(600))
    await play.approve()
    await api.db.update(releases).set({ expiresAt: api.deps.clock() }).where(eq(releases.id, play.release.id))
    api.advance(601)
    await play.tick()
    const held = await play.read(play.rolloutId)
    expect(held).toMatchObject({
      state: 'scheduled',
      state_reason: 'It cannot start: The manifest of the release has expired',
    })
    await play.tick()
    expect((await play.read(play.rolloutId)).revision).toBe(held.revision)
  })
})
