import { offlineThreshold } from '../../../contract/accounts/notifications'
import type { Tx } from '../../core/database/tx'
import { secondsAfter } from '../../core/days'
import type { Deps } from '../../core/deps'
import { announceChange } from '../../core/events/changes'
import { nextId } from '../../core/ids'
import type { NotificationFacts } from './facts'
import { findInvite } from '../invites/repository'
import { notifyOfInvite } from './account'
import { findOfflineSum } from './offline.repository'
import { listProjectPeople } from './people.repository'
import { deleteQueued, lockQueuedEvents, lockQueuedInvites, type QueuedEvent } from './queue.repository'
import { isTold } from './recipients'
import { insertNotifications, isToldSince } from './repository'

export type NotificationSources = {
  /** The people who created rollouts or asked for their approval, by rollout: they cannot give it. */
  findAskers: (tx: Tx, rolloutIds: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>
  countDevices: (tx: Tx, projectId: string) => Promise<number>
}

/** `only`: the people whom it concerns; all others of the project if it is not there. */
type Cause = NotificationFacts & {
  projectId: string
  topic: string
  at: Date
  except: readonly string[]
  only?: readonly string[]
}

const AT_ONCE = 200

const causeOf = (event: QueuedEvent, askers: ReadonlyMap<string, readonly string[]>): Cause[] => {
  const { projectId, at } = event
  const about = { projectId, at, except: event.causedBy === null ? [] : [event.causedBy] }
  switch (event.type) {
    case 'rollout.approval_requested': {
      const { type: kind, data } = event
      return [{ ...about, kind, data, topic: `rollout ${data.rollout.id}`, except: askers.get(data.rollout.id) ?? [] }]
    }
    case 'rollout.approved':
    case 'rollout.denied': {
      const { type: kind, data } = event
      return [{ ...about, kind, data, topic: `rollout ${data.rollout.id}`, only: askers.get(data.rollout.id) ?? [] }]
    }
    case 'rollout.halted':
    case 'rollout.waiting_for_user':
    case 'rollout.rolled_back':
      return [{ ...about, kind: event.type, data: event.data, topic: `rollout ${event.data.rollout.id}` }]
    case 'release.revoked':
      return [{ ...about, kind: event.type, data: event.data, topic: `release ${event.data.release.id}` }]
    case 'key.expiring':
      return [{ ...about, kind: event.type, data: event.data, topic: `key ${event.data.key.id}` }]
    case 'access_token.expiring':
      return [{ ...about, kind: event.type, data: event.data, topic: `access token ${event.data.access_token.id}` }]
    default:
      return []
  }
}

/** The rollout of an event about its approval. */
const approvedIn = (event: QueuedEvent): string[] =>
  event.type === 'rollout.approval_requested' || event.type === 'rollout.approved' || event.type === 'rollout.denied'
    ? [event.data.rollout.id]
    : []

const isOffline = ({ type }: QueuedEvent) => type === 'device.offline' || type === 'device.offline.many'

/** A project is told of devices that go offline at most once in the time within which they are counted. */
const findOffline = async (tx: Tx, queued: readonly QueuedEvent[], { countDevices }: NotificationSources): Promise<Cause[]> => {
  const { devices, percent, withinS } = offlineThreshold
  // By project: its latest event.
  const latest = new Map(queued.filter(isOffline).map((event) => [event.projectId, event]))
  const causes: Cause[] = []
  for (const [projectId, { at }] of latest) {
    const since = secondsAfter(at, -withinS)
    const topic = `offline ${projectId}`
    if (await isToldSince(tx, topic, since)) continue
    const data = await findOfflineSum(tx, projectId, since)
    if (data.count < devices || data.count * 100 < (await countDevices(tx, projectId)) * percent) continue
    causes.push({ kind: 'devices.offline', projectId, topic, at, data, except: [] })
  }
  return causes
}

const notify = async (tx: Tx, causes: readonly Cause[], now: Date): Promise<void> => {
  if (causes.length === 0) return
  const people = await listProjectPeople(tx, { projectIds: [...new Set(causes.map(({ projectId }) => projectId))] })
  const rows = causes.flatMap(({ except, only, ...cause }) =>
    people
      .filter(
        ({ project, user, ...person }) =>
          project.id === cause.projectId &&
          !except.includes(user.id) &&
          (only?.includes(user.id) ?? true) &&
          isTold(cause.kind, person),
      )
      .map(({ user }) => ({ ...cause, id: nextId(now), userId: user.id, mailAt: now })),
  )
  await insertNotifications(tx, rows)
  await announceChange(tx, ...new Set(rows.map(({ userId }) => userId)))
}

const createOfEvents = async (tx: Tx, sources: NotificationSources, now: Date): Promise<number> => {
  const queued = await lockQueuedEvents(tx, AT_ONCE)
  if (queued.length === 0) return 0
  const asked = queued.flatMap(approvedIn)
  const askers = asked.length > 0 ? await sources.findAskers(tx, asked) : new Map<string, readonly string[]>()
  const causes = [...queued.flatMap((event) => causeOf(event, askers)), ...(await findOffline(tx, queued, sources))]
  await notify(tx, causes, now)
  await deleteQueued(
    tx,
    queued.map(({ id }) => id),
  )
  return queued.length
}

const createOfInvites = async (tx: Tx, now: Date): Promise<number> => {
  const ids = await lockQueuedInvites(tx, AT_ONCE)
  for (const id of ids) {
    const found = await findInvite(tx, id)
    if (found) await notifyOfInvite(tx, found, now)
  }
  await deleteQueued(tx, ids)
  return ids.length
}

/** Makes notifications of what is queued and takes it from the queue, in one transaction: each person gets each of them once. */
export const createNotifications = async (
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  sources: NotificationSources,
): Promise<void> => {
  for (let taken = AT_ONCE; taken >= AT_ONCE;) taken = await db.transaction((tx) => createOfEvents(tx, sources, clock()))
  for (let taken = AT_ONCE; taken >= AT_ONCE;) taken = await db.transaction((tx) => createOfInvites(tx, clock()))
}
