import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { QueryOf } from '../../../contract/core/endpoint'
import * as steps from '../../../contract/updates/rollout-steps'
import { projectRollouts, rolloutTimeline } from '../../../contract/updates/rollouts'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import type { Person } from '../../../tests/support/people'
import { createRolloutFixture } from '../../../tests/support/rollout-fixture'
import { releases } from '../schema/releases'
import { rollouts } from '../schema/rollouts'
import { insertTimelineEntry } from './rows/timeline.repository'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

/** A project with a rollout in each of these states, oldest first. */
const made = async () => {
  const owner = await api.person()
  const organization = await api.organization(owner)
  const projectId = await api.project({ organizationId: organization.id })
  const author = await api.member(organization.id, 'admin')
  const play = await createRolloutFixture(api, author, projectId, 1)
  const make = async (name: string) => {
    api.advance(1)
    return (await play.make({ name })).id
  }
  const ids = {
    halted: await make('Halted'),
    asked: await make('Asked'),
    running: await make('Running'),
    cancelled: await make('Cancelled'),
    scheduled: await make('Scheduled'),
  }
  const as = author
  for (const rolloutId of [ids.halted, ids.running]) await api.call(steps.startRollout, { rolloutId }, { as, body: {} })
  await api.call(steps.haltRollout, { rolloutId: ids.halted }, { as, body: {} })
  await api.db.update(rollouts).set({ requiresApproval: true }).where(eq(rollouts.id, ids.asked))
  await api.call(steps.submitRollout, { rolloutId: ids.asked }, { as, body: {} })
  await api.call(steps.cancelRollout, { rolloutId: ids.cancelled }, { as, body: { mode: 'stop_new' } })
  await play.tick()
  await api.db.update(rollouts).set({ phase: 'scheduled' }).where(eq(rollouts.id, ids.scheduled))
  const list = async (person: Person, query: QueryOf<typeof projectRollouts>) => {
    const { body } = await api.call(projectRollouts, { projectId }, { as: person, query })
    return { ...body, names: body.rollouts.map(({ name }) => name) }
  }
  return { owner, organization, author, projectId, ids, list }
}

it('the rollouts of a release are numbered by themselves, and name the version where another release has the same name', async () => {
  const author = await api.person()
  const projectId = await api.project({ ownerId: author.id })
  const { make, maker } = await createRolloutFixture(api, author, projectId, 1)
  await maker.signed({ version: 3, bytes: randomBytes(8) })
  expect((await make()).name).toBe('Firmware 2 #1')
  const back = await make()
  expect(back.name).toBe('Firmware 2 #2')
  await api.db.update(rollouts).set({ rollsBackId: back.id }).where(eq(rollouts.id, back.id))
  expect((await make()).name).toBe('Firmware 2 #2')
  await api.db.update(releases).set({ name: 'Firmware' }).where(eq(releases.projectId, projectId))
  expect((await make()).name).toBe('Firmware v2 #3')
})

describe('the rollouts of a project', () => {
  it('are listed by group, each group with its size', async () => {
    const { author, list } = await made()
    const { groups, names } = await list(author, { group: 'open' })
    expect(groups).toEqual({ waiting: 1, open: 4, ended: 1 })
    expect(names).toEqual(['Scheduled', 'Running', 'Asked', 'Halted'])
    expect((await list(author, { group: 'ended' })).names).toEqual(['Cancelled'])
  })

  it('wait for whoever may act: approval never for its author, nothing for a viewer', async () => {
    const { owner, organization, author, ids, list } = await made()
    const viewer = await api.member(organization.id, 'viewer')
    const waiting = async (person: Person) => (await list(person, { group: 'waiting' })).names
    expect(await waiting(author)).toEqual(['Halted'])
    expect(await waiting(owner)).toEqual(['Asked', 'Halted'])
    expect(await waiting(viewer)).toEqual([])
    // A start that the server could not make needs a person; one that is only ahead does not.
    await api.db.update(rollouts).set({ stateReason: 'It cannot start' }).where(eq(rollouts.id, ids.scheduled))
    expect(await waiting(author)).toEqual(['Scheduled', 'Halted'])
  })

  it('are sorted by urgency: first those that wait for the reader, across pages', async () => {
    const { owner, list } = await made()
    const names: string[] = []
    for (let cursor: string | undefined; ;) {
      const page = await list(owner, { group: 'open', sort: '-urgency', limit: 1, ...(cursor !== undefined && { cursor }) })
      names.push(...page.names)
      if (page.next_cursor === null) break
      cursor = page.next_cursor
    }
    expect(names).toEqual(['Asked', 'Halted', 'Scheduled', 'Running'])
  })

  it('are found by a part of their name, which the sizes of the groups follow', async () => {
    const { author, list } = await made()
    const { names, groups, total } = await list(author, { q: 'alte' })
    expect([names, groups, total]).toEqual([['Halted'], { waiting: 1, open: 1, ended: 0 }, 1])
  })
})

describe('the timeline of a rollout', () => {
  it('keeps every change of state, however many measurements follow', async () => {
    const { author, projectId, ids } = await made()
    const at = api.deps.clock()
    for (let n = 0; n < 1100; n++)
      await insertTimelineEntry(api.db, { id: ids.running, projectId }, { at, kind: 'gate.measured', text: `${n} of 1100` })
    const { body } = await api.call(rolloutTimeline, { rolloutId: ids.running }, { as: author })
    expect(body.entries.slice(0, 2).map(({ kind }) => kind)).toEqual(['rollout.created', 'rollout.started'])
    expect(body.entries.at(-1)?.text).toBe('1099 of 1100')
    expect(body.entries).toHaveLength(202)
  })
})
