import { inArray } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { members as listMembers } from '../../contract/accounts/members'
import { self } from '../../contract/accounts/users'
import { billingEvents } from '../../server/accounts/schema/billing'
import { sessions, signIns } from '../../server/accounts/schema/people'
import { nextId } from '../../server/core/ids'
import { formatTimestamp } from '../../server/core/timestamps'
import { sweepPlumbing, sweepSignIns } from '../../server/jobs'
import { createTestApi, type TestApi } from '../support/api'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

const daysAgo = (days: number) => new Date(api.deps.clock().getTime() - days * 86_400_000)

/** A sign-in, or a session, that was begun 14 days before it expired, and was used in the middle. */
const rowOf = (userId: string, expiredDays: number, endedDays: number | null = null) => ({
  id: nextId(api.deps.clock()),
  userId,
  tokenHash: nextId(api.deps.clock()),
  createdAt: daysAgo(expiredDays + 14),
  lastUsedAt: daysAgo(expiredDays + 7),
  expiresAt: daysAgo(expiredDays),
  endedAt: endedDays === null ? null : daysAgo(endedDays),
})

it('deletes sessions and sign-ins 30 days after they expire, and keeps the last use of each person', async () => {
  const owner = await api.person()
  const { id: organizationId, publicId } = await api.organization(owner)
  const away = await api.member(organizationId, 'viewer')
  await api.db.delete(sessions).where(inArray(sessions.id, [away.sessionId]))
  const old = rowOf(owner.id, 31)
  const signInOf = async (row: ReturnType<typeof rowOf>) => {
    await api.db.insert(signIns).values(row)
    return row.id
  }
  // The session of a person who was not there since.
  const last = { ...rowOf(away.id, 200), signInId: await signInOf(rowOf(away.id, 200)) }
  const kept = [last, { ...rowOf(owner.id, 29), signInId: await signInOf(old) }, { ...rowOf(owner.id, 29, 40), signInId: null }]
  const deleted = [
    { ...rowOf(owner.id, 31, 40), signInId: await signInOf(rowOf(owner.id, 31, 40)) },
    { ...rowOf(owner.id, 31), signInId: null },
    { ...rowOf(away.id, 300), signInId: null },
  ]
  await api.db.insert(sessions).values([...kept, ...deleted])
  await signInOf(rowOf(owner.id, 29))
  await sweepSignIns(api.deps)
  const left = async (table: typeof sessions | typeof signIns) =>
    (await api.db.select({ id: table.id }).from(table)).map(({ id }) => id).toSorted()
  expect(await left(sessions)).toEqual([owner.sessionId, ...kept.map(({ id }) => id)].toSorted())
  expect(await left(signIns)).toHaveLength(3)
  expect(await left(signIns)).toEqual(expect.arrayContaining([old.id, last.signInId]))
  const { body } = await api.call(listMembers, { organizationId: publicId }, { as: owner })
  const lastActive = formatTimestamp(last.lastUsedAt)
  expect(body.members.find(({ user }) => user.id === away.id)).toMatchObject({ last_active_at: lastActive })
  expect((await api.call(self, {}, { as: owner })).status).toBe(200)
})

it('deletes billing events when they can no longer arrive again, after 90 days', async () => {
  const event = (id: string, days: number) => ({
    id,
    type: 'invoice.paid',
    happenedAt: daysAgo(days),
    receivedAt: daysAgo(days),
    waitsFor: 'sub_of_nobody',
    object: {},
  })
  await api.db.insert(billingEvents).values([event('evt_old', 91), event('evt_new', 89)])
  await sweepPlumbing(api.deps)
  expect((await api.db.select().from(billingEvents)).map(({ id }) => id)).toEqual(['evt_new'])
})
