import type { BulkAction } from '../../../contract/fleet/device-jobs'
import { maxDeviceTags, unusedLifecycles } from '../../../contract/fleet/devices'
import { nextLifecycle } from '../devices/steps/lifecycle'
import type { DeviceRow } from '../devices/repository'
import type { JobArgs, Outcome, RowChange } from './repository'

/** A device as far as jobs change it; `tagIds`: its tags. */
export type Subject = Pick<DeviceRow, 'lifecycle' | 'updatesEnabled' | 'updatesPausedUntil'> & { tagIds: readonly string[] }

/** `action` is never `move`: that depends on more than the device. `knownTags`: those of the job's tags that still exist. */
type Asked = { action: BulkAction; args: JobArgs; now: Date; knownTags: ReadonlySet<string> }

const unchanged: Outcome = { result: 'unchanged' }
const failed = (code: string, message: string): Outcome => ({ result: 'failed', code, message })
/** Of an undo: what the job has changed is no longer as the job left it. */
export const changedSince: Outcome = { result: 'skipped', code: 'changed_since', message: 'It was changed since the job' }

const changeTags = ({ tagIds }: Subject, added: readonly string[], removed: readonly string[], known: ReadonlySet<string>) => {
  const missing = added.filter((id) => !tagIds.includes(id))
  const present = removed.filter((id) => tagIds.includes(id))
  if (missing.length === 0 && present.length === 0) return unchanged
  if (missing.some((id) => !known.has(id))) return failed('tag_deleted', 'A tag of the job was deleted since')
  const count = tagIds.length + missing.length - present.length
  if (count > maxDeviceTags)
    return failed('too_many_tags', `It would have ${count} tags. A device can have at most ${maxDeviceTags}`)
  return { result: 'done', change: { field: 'tags', added: missing, removed: present } } as const
}

/** A device out of use gets no updates that could be paused or turned off. */
const refuseUnused = (lifecycle: Subject['lifecycle']): Outcome | null =>
  unusedLifecycles.includes(lifecycle) ? failed('conflict', `Not possible with a device that is ${lifecycle}`) : null

const changeUpdates = ({ lifecycle, updatesEnabled: before }: Subject, after: boolean): Outcome =>
  refuseUnused(lifecycle) ??
  (before === after ? unchanged : { result: 'done', change: { field: 'updates_enabled', before, after } })

const isoOf = (time: Date | null) => time?.toISOString() ?? null

const changePause = ({ lifecycle, updatesPausedUntil }: Subject, until: Date | null, now: Date): Outcome => {
  const refused = refuseUnused(lifecycle)
  if (refused) return refused
  const before = isoOf(updatesPausedUntil)
  const after = isoOf(until)
  // A pause that is over is none.
  const isOver = updatesPausedUntil === null || updatesPausedUntil <= now
  return before === after || (until === null && isOver)
    ? unchanged
    : { result: 'done', change: { field: 'updates_paused_until', before, after } }
}

const lifecycleAfter = { disable: 'disabled', enable: 'active', decommission: 'decommissioned' } as const

const changeLifecycle = ({ lifecycle: before }: Subject, step: keyof typeof lifecycleAfter): Outcome => {
  const after = lifecycleAfter[step]
  if (before === after) return unchanged
  if (before === 'decommissioned' || nextLifecycle(before, step) === null)
    return failed('conflict', `Not possible with a device that is ${before}`)
  return { result: 'done', change: { field: 'lifecycle', before, after } }
}

/** What a job changes of one device. */
export const decideChange = (subject: Subject, { action, args, now, knownTags }: Asked): Outcome => {
  const named = (args.tags ?? []).map(({ id }) => id)
  switch (action) {
    case 'add_tags':
      return changeTags(subject, named, [], knownTags)
    case 'remove_tags':
      return changeTags(subject, [], named, knownTags)
    case 'replace_tags':
      return changeTags(
        subject,
        named,
        subject.tagIds.filter((id) => !named.includes(id)),
        knownTags,
      )
    case 'enable_updates':
      return changeUpdates(subject, true)
    case 'disable_updates':
      return changeUpdates(subject, false)
    case 'pause_until':
      return changePause(subject, new Date(args.until ?? 0), now)
    case 'resume':
      return changePause(subject, null, now)
    case 'disable':
    case 'enable':
    case 'decommission':
      return changeLifecycle(subject, action)
    case 'move':
      throw new Error('a move is decided by its own rules')
  }
}

/** What an undo changes of one device, given what the job has changed: that, unless it was changed again since. */
export const decideUndo = (subject: Subject, given: RowChange, knownTags: ReadonlySet<string>): Outcome => {
  switch (given.field) {
    case 'tags': {
      const left = given.added.filter((id) => knownTags.has(id))
      const isAsLeft =
        left.every((id) => subject.tagIds.includes(id)) && given.removed.every((id) => !subject.tagIds.includes(id))
      return isAsLeft ? changeTags(subject, given.removed, left, knownTags) : changedSince
    }
    case 'updates_enabled':
      return subject.updatesEnabled === given.after ? changeUpdates(subject, given.before) : changedSince
    case 'updates_paused_until': {
      if (isoOf(subject.updatesPausedUntil) !== given.after) return changedSince
      return { result: 'done', change: { field: 'updates_paused_until', before: given.after, after: given.before } }
    }
    case 'lifecycle': {
      const { before, after } = given
      if (subject.lifecycle !== after) return changedSince
      if (before === 'active') return changeLifecycle(subject, 'enable')
      return before === 'disabled'
        ? changeLifecycle(subject, 'disable')
        : failed('conflict', `Not possible with a device that is ${after}`)
    }
    case 'project':
      throw new Error('a move is decided by its own rules')
  }
}
