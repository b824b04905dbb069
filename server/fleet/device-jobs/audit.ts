import type { AuditAction } from '../../../contract/core/audit-actions'
import type { Device } from '../../../contract/fleet/devices'
import type { AuditFacts } from '../../core/audit/chain'
import { formatTimestamp } from '../../core/timestamps'
import { deviceTarget } from '../devices/audit-target'
import type { JobRow, RowChange } from './repository'

type Facts = Omit<AuditFacts, 'chainId'>
type Deed = Pick<AuditFacts, 'action' | 'target' | 'changes'> & { projectId: string; reason?: string }

/** An entry of the audit log about what the maker of a job does by it. */
export const auditOf = (job: JobRow, { action, target, changes, projectId, reason }: Deed, now: Date): Facts => {
  const { maker } = job
  const { kind, id, name } = maker.credential
  return {
    occurredAt: now,
    action,
    result: 'success',
    actor: { kind: 'user', id: maker.id, name: maker.name, email: maker.email },
    credential: { kind, id, ...(name !== undefined && { name }) },
    sourceIp: maker.sourceIp,
    userAgent: maker.userAgent,
    requestId: maker.requestId,
    projectId,
    target,
    changes,
    reason: reason ?? `Job ${job.id}`,
  }
}

/** The entry of a job that ends by itself because its maker may no longer do this. */
export const auditOfStop = (job: JobRow, reason: string, now: Date): Facts => ({
  ...auditOf(job, { action: 'device_job.stop', target: jobTarget(job), changes: [], projectId: job.projectId, reason }, now),
  actor: { kind: 'system', id: null, name: 'jobs', email: null },
  credential: { kind: 'system', id: null },
})

export const jobTarget = ({ id, action }: Pick<JobRow, 'id' | 'action'>) => ({ kind: 'device_job', id, name: action })

type TagRef = Device['tags'][number]
type Context = { tags: readonly TagRef[]; knownTags: ReadonlyMap<string, TagRef> }

const tagsAfter = ({ added, removed }: RowChange & { field: 'tags' }, { tags, knownTags }: Context): TagRef[] =>
  [...tags.filter(({ id }) => !removed.includes(id)), ...added.flatMap((id) => knownTags.get(id) ?? [])].toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  )

const actionOf = (change: Exclude<RowChange, { field: 'project' }>): AuditAction => {
  if (change.field === 'tags') {
    if (change.removed.length === 0) return 'tag.assign'
    return change.added.length === 0 ? 'tag.unassign' : 'device.update'
  }
  if (change.field !== 'lifecycle') return 'device.update'
  const actions = { active: 'device.enable', disabled: 'device.disable', decommissioned: 'device.decommission' } as const
  return actions[change.after]
}

const shown = (value: string | boolean | null, field: RowChange['field']) =>
  field === 'updates_paused_until' && typeof value === 'string' ? formatTimestamp(new Date(value)) : value

/** What a job has changed of a device, as the same change of that device alone is recorded. `tags`: those before. */
export const deedOf = (
  device: { id: string; name: string; projectId: string },
  change: Exclude<RowChange, { field: 'project' }>,
  context: Context,
): Deed => {
  const { field } = change
  const values =
    field === 'tags'
      ? { before: context.tags, after: tagsAfter(change, context) }
      : { before: shown(change.before, field), after: shown(change.after, field) }
  return {
    action: actionOf(change),
    target: deviceTarget(device),
    changes: [{ field, ...values }],
    projectId: device.projectId,
  }
}
