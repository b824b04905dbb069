import { notifyOwners } from '../../../accounts/notifications/owners'
import { findOrganization } from '../../../accounts/organizations/repository'
import type { Tx } from '../../../core/database/tx'
import type { ProjectScope } from '../../../core/http/scope'

type Project = Pick<ProjectScope, 'name' | 'organizationId' | 'ownerId'>
type Moved = {
  from: Project
  goal: Project
  by: { id: string; name: string }
  count: number
  /** The name of one of them. */
  device: string
  topic: string
  now: Date
}

/** Tells the owners of an organization that devices have left it, unless they did it themselves. */
export const tellOfMovedDevices = async (tx: Tx, { from, goal, by, count, device, topic, now }: Moved): Promise<void> => {
  const left = from.organizationId === null || from.organizationId === goal.organizationId ? undefined : from.organizationId
  const organization = left === undefined ? undefined : await findOrganization(tx, left)
  if (!organization || count === 0) return
  const data = { by: by.name, from: from.name, owner: organization.name, to: goal.name, count, device }
  await notifyOwners(tx, organization.id, { kind: 'devices.moved_out', data, exceptId: by.id, topic, now })
}
