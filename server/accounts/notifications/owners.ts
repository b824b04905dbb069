import type { Tx } from '../../core/database/tx'
import { announceChange } from '../../core/events/changes'
import { nextId } from '../../core/ids'
import type { NotificationFacts } from './facts'
import { listOwners } from './people.repository'
import { insertNotifications } from './repository'

type OfOwners = Extract<NotificationFacts, { kind: 'devices.moved_out' | 'project.moved_out' | 'member.account_deleted' }>

/**
 * Tells the owners of an organization what somebody else has moved out of it, or that a member's account is gone. It is about the
 * person: what was moved belongs to another owner, and no setting of a project silences it.
 */
export const notifyOwners = async (
  tx: Tx,
  organizationId: string,
  { exceptId, topic, now, ...facts }: OfOwners & { exceptId: string; topic: string; now: Date },
): Promise<void> => {
  const owners = (await listOwners(tx, organizationId)).filter((userId) => userId !== exceptId)
  const rows = owners.map((userId) => ({ id: nextId(now), userId, projectId: null, topic, at: now, mailAt: now, ...facts }))
  await insertNotifications(tx, rows)
  await announceChange(tx, ...owners)
}

type Transferred = { project: { id: string; name: string }; by: { id: string; name: string }; to: string | null; now: Date }

/** Tells the owners of an organization that somebody else has transferred a project out of it. */
export const tellOfTransfer = (
  tx: Tx,
  from: { id: string; name: string },
  { project, by, to, now }: Transferred,
): Promise<void> => {
  const data = { by: by.name, project: project.name, owner: from.name, to }
  return notifyOwners(tx, from.id, { kind: 'project.moved_out', data, exceptId: by.id, topic: `transfer ${project.id}`, now })
}
