import type { Tx } from '../../core/database/tx'
import { appendAll, type AuditFacts } from '../../core/audit/chain'
import type { Deps } from '../../core/deps'
import { announceChange } from '../../core/events/changes'
import { emitEvents } from '../../core/events/emit'
import { rethrowAsRefusal } from '../../core/http/database-errors'
import { Refusal } from '../../core/http/refuse'
import { findActingUser } from '../../accounts/access-tokens/authenticate'
import { findProject } from '../../accounts/projects/repository'
import { deviceTarget } from '../devices/audit-target'
import { deviceEvent } from '../devices/events'
import { type Above, findGoal, moveDevice } from '../devices/steps/move'
import { findMovingOutRefusal } from '../devices/steps/moving-out'
import type { DeviceRow } from '../devices/repository'
import { listTagsOfDevices } from '../devices/tags.repository'
import { deviceUniques } from '../devices/uniques'
import { auditOf, auditOfStop, deedOf } from './audit'
import { applyChanges, holdTags, listExistingDevices, lockFreeDevices } from './changes.repository'
import { changedSince, decideChange, decideUndo } from './decide'
import { endJob } from './end'
import {
  isMoveBack,
  type JobDevice,
  type JobRow,
  listRunningJobs,
  listWaitingRows,
  lockRunningJob,
  type Outcome,
  type RowChange,
  updateJob,
  updateRowResults,
} from './repository'

/** Half a millisecond for each: a batch holds the rows of its devices for some 100 ms, and their check-ins wait for it. */
const batchSize = 200
/** Batches of each job between two looks for new jobs. */
const lookEvery = 10
/** Of moves, which take a dozen statements each. */
const movesAtOnce = 20

type Place = Awaited<ReturnType<typeof findGoal>>
/** A row of the job with its device. */
type Held = { row: JobDevice; device: DeviceRow }
type Batch = { job: JobRow; now: Date; own: Place; other: Place | undefined }
/** What was done to the rows, by position, and what the audit log gets, by chain. */
type Done = { outcomes: Map<number, Outcome>; entries: { chainId: string; facts: Omit<AuditFacts, 'chainId'> }[] }

/** The projects of a job, as far as its maker may change them now; otherwise the reason why not. */
const admit = async (
  tx: Tx,
  { hasUnapprovedRollout }: Above,
  job: JobRow,
  now: Date,
): Promise<Omit<Batch, 'job' | 'now'> | string> => {
  const { maker, projectId, args } = job
  const user = await findActingUser(tx, maker, now)
  if (!user) {
    const what = maker.credential.kind === 'session' ? 'account' : 'access token'
    return `The ${what} of ${maker.name} has ended`
  }
  try {
    const own = await findGoal(tx, user, projectId)
    const other = args.project && (await findGoal(tx, user, args.project.id))
    const [from, goal] = isMoveBack(job) ? [other, own] : [own, other]
    const refusal = from && goal && (await findMovingOutRefusal(tx, hasUnapprovedRollout, from, goal))
    return refusal ?? { own, other }
  } catch (error) {
    if (error instanceof Refusal) return `${maker.name} may no longer manage these devices`
    throw error
  }
}

const gone = { result: 'failed', code: 'deleted', message: 'The device was deleted or moved' } as const

/** A refusal that concerns this device alone. */
const outcomeOf = (error: unknown): Outcome => {
  let refusal = error
  try {
    if (!(error instanceof Refusal)) rethrowAsRefusal(deviceUniques, error)
  } catch (known) {
    refusal = known
  }
  if (!(refusal instanceof Refusal) || refusal.status >= 500) throw error
  const [detail] = refusal.facts.details ?? []
  return { result: 'failed', code: detail?.code ?? refusal.code, message: detail?.message ?? refusal.message }
}

const moveAll = async (tx: Tx, above: Above, held: readonly Held[], { job, now, own, other }: Batch): Promise<Done> => {
  const outcomes: Done['outcomes'] = new Map()
  const entries: Done['entries'] = []
  if (!other) throw new Error('a move has no other project')
  const [from, to] = isMoveBack(job) ? [other, own] : [own, other]
  // Devices that the job has moved return as they were, also to a project whose keys they did not trust.
  const withoutTrustedKey = job.undoOf !== null || job.args.without_trusted_key === true
  const move = { from: from.project, goal: to.project, withoutTrustedKey, now }
  for (const { row, device } of held) {
    try {
      // A savepoint: a device that cannot be moved undoes nothing of the others.
      const { after, changes } = await tx.transaction((step) => moveDevice(step, above, device, move))
      outcomes.set(row.position, { result: 'done', change: { field: 'project', before: device.id, after: after.id } })
      for (const [place, target] of [[from, device] as const, [to, after] as const]) {
        const deed = { action: 'device.move', target: deviceTarget(target), changes, projectId: place.project.id }
        entries.push({ chainId: place.auditChainId, facts: auditOf(job, deed, now) })
      }
    } catch (error) {
      outcomes.set(row.position, outcomeOf(error))
    }
  }
  return { outcomes, entries }
}

const tagsOfRow = ({ given }: JobDevice) => (given?.field === 'tags' ? [...given.added, ...given.removed] : [])

const changeAll = async (
  tx: Tx,
  held: readonly Held[],
  { job, now, own, knownTags }: Batch & { knownTags: Awaited<ReturnType<typeof holdTags>> },
): Promise<Done> => {
  const outcomes: Done['outcomes'] = new Map()
  const entries: Done['entries'] = []
  const ids = held.map(({ device }) => device.id)
  const tagged = job.action.endsWith('_tags') ? await listTagsOfDevices(tx, ids) : new Map<string, never[]>()
  const asked = { action: job.action, args: job.args, now, knownTags: new Set(knownTags.keys()) }
  const changes: { id: string; change: Exclude<RowChange, { field: 'project' }>; device: DeviceRow }[] = []
  for (const { row, device } of held) {
    const tags = tagged.get(device.id) ?? []
    const subject = { ...device, tagIds: tags.map(({ id }) => id) }
    const outcome = row.given ? decideUndo(subject, row.given, asked.knownTags) : decideChange(subject, asked)
    outcomes.set(row.position, outcome)
    if (outcome.result !== 'done' || outcome.change.field === 'project') continue
    changes.push({ id: device.id, change: outcome.change, device })
    const deed = deedOf(device, outcome.change, { tags, knownTags })
    entries.push({ chainId: own.auditChainId, facts: auditOf(job, deed, now) })
  }
  await applyChanges(tx, job.projectId, changes, now)
  const ended = changes.filter(({ change }) => change.field === 'lifecycle' && change.after === 'decommissioned')
  await emitEvents(
    tx,
    ended.map(({ device }) => deviceEvent('device.decommissioned', device, job.maker.name)),
    now,
  )
  return { outcomes, entries }
}

/** In the order of the chains' ids, as requests that write to two chains do. */
const writeEntries = async (tx: Tx, entries: Done['entries']) => {
  const chains = [...new Set(entries.map(({ chainId }) => chainId))].toSorted()
  for (const chain of chains) {
    const own = entries.filter(({ chainId }) => chainId === chain)
    await appendAll(
      tx,
      chain,
      own.map(({ facts }) => facts),
    )
  }
}

const countOf = (outcomes: Done['outcomes'], result: Outcome['result']) =>
  [...outcomes.values()].filter((one) => one.result === result).length

/** Stores what a batch did; true if there is more to do now. */
const finishBatch = async (
  tx: Tx,
  { job, now }: Batch,
  { rows, outcomes, size }: { rows: readonly JobDevice[]; outcomes: Done['outcomes']; size: number },
): Promise<boolean> => {
  const counts = {
    done: job.done + countOf(outcomes, 'done'),
    unchanged: job.unchanged + countOf(outcomes, 'unchanged'),
    failed: job.failed + countOf(outcomes, 'failed'),
    skipped: job.skipped + countOf(outcomes, 'skipped'),
  }
  if (outcomes.size > 0) await updateRowResults(tx, job.id, outcomes)
  await announceChange(tx, job.projectId)
  const reached = counts.done + counts.unchanged + counts.failed + counts.skipped
  if (reached >= job.total) {
    await endJob(tx, { ...job, ...counts }, 'done', now)
    return false
  }
  const isLast = rows.length < size
  await updateJob(tx, job.id, { ...counts, position: isLast ? 0 : (rows.at(-1)?.position ?? 0) }, now)
  // The rest is locked by others: the next run tries it again.
  return !isLast || job.position > 0
}

/** Works off the next batch of a job; true if there is more to do now. */
const runBatch = ({ db, clock }: Pick<Deps, 'db' | 'clock'>, above: Above, id: string, size: number): Promise<boolean> =>
  db.transaction(async (tx) => {
    const now = clock()
    const job = await lockRunningJob(tx, id)
    if (!job) return false
    const places = await admit(tx, above, job, now)
    if (typeof places === 'string') {
      await endJob(tx, { ...job, stopReason: places }, 'stopped', now)
      const project = await findProject(tx, job.projectId)
      // The project may have got another owner since.
      const chainId = project?.organizationId ?? project?.ownerId ?? job.chainId
      await appendAll(tx, chainId, [auditOfStop(job, places, now)])
      await announceChange(tx, job.projectId)
      return false
    }
    const batch = { job, now, ...places }
    const isMove = job.action === 'move'
    const most = isMove ? Math.min(size, movesAtOnce) : size
    const rows = await listWaitingRows(tx, job, most)
    // Before the devices, as a deletion of the tag does.
    const knownTags = await holdTags(tx, [
      ...new Set([...(job.args.tags ?? []).map((tag) => tag.id), ...rows.flatMap(tagsOfRow)]),
    ])
    const ids = rows.map(({ deviceId }) => deviceId)
    const locked = new Map((await lockFreeDevices(tx, ids, isMove ? 'update' : 'no key update')).map((one) => [one.id, one]))
    const existing = locked.size < rows.length ? await listExistingDevices(tx, ids) : new Set(ids)
    const held: Held[] = []
    const outcomes: Done['outcomes'] = new Map()
    for (const row of rows) {
      const device = locked.get(row.deviceId)
      if (device?.deletedAt === null) held.push({ row, device })
      else if (device || !existing.has(row.deviceId)) outcomes.set(row.position, row.given ? changedSince : gone)
    }
    const done = isMove ? await moveAll(tx, above, held, batch) : await changeAll(tx, held, { ...batch, knownTags })
    for (const [position, outcome] of done.outcomes) outcomes.set(position, outcome)
    const more = await finishBatch(tx, batch, { rows, outcomes, size: most })
    // Last: the head of the audit chain stays locked until the commit.
    await writeEntries(tx, done.entries)
    return more
  })

type Limits = { size?: number; rounds?: number }

/**
 * Continues all running jobs, a batch of each in turn, so that a large one does not delay the others. Each batch is a transaction
 * of its own with the results of its rows: a killed process loses no row and repeats none. Devices that are locked by others are
 * left to a later batch, so that a job never waits for a device while it holds others.
 */
export const runDeviceJobs = async (
  deps: Pick<Deps, 'db' | 'clock' | 'log'>,
  above: Above,
  { size = batchSize, rounds = 1000 }: Limits = {},
): Promise<void> => {
  let ids: string[] = []
  for (let round = 0; round < rounds; round++) {
    // Those that were accepted meanwhile take part.
    if (round % lookEvery === 0) ids = [...new Set([...ids, ...(await listRunningJobs(deps.db))])]
    if (ids.length === 0) return
    const left: string[] = []
    for (const id of ids) {
      // An error in one job must not stop the others; the next run retries.
      const more = await runBatch(deps, above, id, size).catch((error: unknown) => {
        deps.log.error({ err: error, job: id }, 'a job over devices could not continue')
        return false
      })
      if (more) left.push(id)
    }
    ids = left
  }
}
