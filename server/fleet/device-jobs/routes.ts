import * as contract from '../../../contract/fleet/device-jobs'
import type { Tx } from '../../core/database/tx'
import type { Api } from '../../core/http/api'
import type { User } from '../../core/http/actors'
import type { Call } from '../../core/http/call'
import { refuse, refuseField } from '../../core/http/refuse'
import { limitTotal } from '../../core/http/paging'
import { route } from '../../core/http/route'
import { formatTimestamp } from '../../core/timestamps'
import { requirePauseEnd } from '../devices/steps/change'
import { type Above, findGoal, listHiddenProjects } from '../devices/steps/move'
import { requireMayMoveOut } from '../devices/steps/moving-out'
import { findUnknownTag, requireKnownTags } from '../tags/known-tags'
import { jobTarget } from './audit'
import { endJob } from './end'
import {
  countRunningJobs,
  getJob,
  insertJob,
  insertUndoRows,
  isMoveBack,
  type JobArgs,
  type JobMaker,
  type JobRow,
  listFirstFailures,
  listJobRows,
  listJobs,
  lockJob,
  updateJob,
} from './repository'
import { insertSelectedRows } from './selection.repository'
import { canUndo, jobRowToJson, jobToJson } from './to-json'

const mostFailures = 10

type Asked = Pick<Call<typeof contract.bulkChangeDevices | typeof contract.undoDeviceJob>, 'user' | 'request'>

const makerOf = ({ user, request }: Asked): JobMaker => {
  const { kind, id } = user.credential
  return {
    id: user.id,
    name: user.name,
    email: user.email,
    credential: { kind, id, ...('name' in user.credential && { name: user.credential.name }) },
    sourceIp: request.ip,
    userAgent: request.headers['user-agent']?.slice(0, 256) ?? null,
    requestId: request.id,
  }
}

const requireTags = async (tx: Tx, projectId: string, names: readonly string[] | undefined, mayBeNone: boolean) => {
  if (names === undefined || (names.length === 0 && !mayBeNone)) return refuseField('tags', 'required', 'Choose at least one tag')
  const known = await requireKnownTags(tx, projectId, names, 'tags')
  return known.map(({ id, name }) => ({ id, name }))
}

/** The arguments of an action, checked as those of the same change of one device. */
const toArgs = async (
  { tx, project, place, user, now, body }: Call<typeof contract.bulkChangeDevices>,
  { hasUnapprovedRollout }: Above,
): Promise<JobArgs> => {
  const { action, args = {} } = body
  switch (action) {
    case 'add_tags':
    case 'remove_tags':
    case 'replace_tags':
      return { tags: await requireTags(tx, project.id, args.tags, action === 'replace_tags') }
    case 'pause_until': {
      const until = args.until ?? refuseField('until', 'required', 'Choose the end of the pause')
      return { until: formatTimestamp(requirePauseEnd(until, 'until', now)) }
    }
    case 'move': {
      const goalId = args.project_id ?? refuseField('project_id', 'required', 'Choose the other project')
      if (goalId === project.id) refuseField('project_id', 'same_project', 'The devices are in this project already')
      const goal = await findGoal(tx, user, goalId)
      await requireMayMoveOut(tx, hasUnapprovedRollout, { ...place, project }, goal)
      const { id, name } = goal.project
      return { project: { id, name }, ...(args.without_trusted_key === true && { without_trusted_key: true }) }
    }
    default:
      return {}
  }
}

const listHiddenGoals = (tx: Tx, user: User, jobs: readonly JobRow[]) =>
  listHiddenProjects(
    tx,
    user,
    jobs.flatMap(({ args }) => args.project?.id ?? []),
  )

const requireRoom = async (tx: Tx, projectId: string) => {
  const { running } = contract.bulkLimits
  if ((await countRunningJobs(tx, projectId)) >= running)
    refuse(409, 'conflict', { message: `${running} bulk changes of this project are running. Wait until one has ended` })
}

/** A tag that was renamed or deleted since the list was read would leave no device out. */
const requireTagsLeftOut = async (tx: Tx, projectId: string, selection: contract.Selection) => {
  if (!('filter' in selection) || selection.filter.tag_mode !== 'none') return
  const unknown = await findUnknownTag(tx, projectId, selection.filter.tag ?? [])
  if (unknown === undefined) return
  const message = `The filter leaves devices out by a tag that the project does not have: ${unknown}. Look at the list again`
  refuse(409, 'conflict', { message })
}

export const deviceJobRoutes = (api: Api, above: Above): void => {
  route(api, contract.bulkChangeDevices, async (call) => {
    const { tx, project, body, now, place, audit } = call
    const { action, selection, expected_count: expected } = body
    await requireRoom(tx, project.id)
    await requireTagsLeftOut(tx, project.id, selection)
    const args = await toArgs(call, above)
    const made = { projectId: project.id, chainId: place.auditChainId, action, args, maker: makerOf(call) }
    const job_id = await insertJob(tx, made, now)
    const count = await insertSelectedRows({ tx, project, now }, job_id, selection)
    if (Math.abs(count - expected) > expected * contract.bulkLimits.drift)
      refuse(409, 'count_changed', {
        message: `${count} devices match now, not ${expected}. Look at the list again`,
        about: { count, expected },
      })
    await updateJob(tx, job_id, { total: count }, now)
    audit({
      target: jobTarget({ id: job_id, action }),
      changes: [
        { field: 'devices', before: 0, after: count },
        { field: 'args', before: null, after: args },
      ],
    })
    return { job_id }
  })

  route(api, contract.deviceJobs, async ({ tx, project, query, user }) => {
    const { rows, ...page } = await listJobs(tx, project.id, query)
    const hidden = await listHiddenGoals(tx, user, rows)
    return { ...page, jobs: rows.map((row) => jobToJson(row, hidden)) }
  })

  route(api, contract.deviceJob, async ({ tx, params, user }) => {
    const job = await getJob(tx, params.jobId)
    const failures = await listFirstFailures(tx, job.id, mostFailures)
    const hidden = await listHiddenGoals(tx, user, [job])
    return { ...jobToJson(job, hidden), first_failures: failures.map((row) => jobRowToJson(job, row, hidden)) }
  })

  route(api, contract.deviceJobRows, async ({ tx, params, query, user }) => {
    const job = await getJob(tx, params.jobId)
    const hidden = await listHiddenGoals(tx, user, [job])
    const { rows, next_cursor } = await listJobRows(tx, job, query)
    const { total, counts } = jobToJson(job)
    return {
      rows: rows.map((row) => jobRowToJson(job, row, hidden)),
      next_cursor,
      total: limitTotal(query.result === undefined ? total : counts[query.result]),
    }
  })

  route(api, contract.cancelDeviceJob, async ({ tx, params, now, user, audit }) => {
    const job = await lockJob(tx, params.jobId)
    if (job.state !== 'running') refuse(409, 'conflict', { message: 'The job has ended', about: { state: job.state } })
    const cancelled = jobToJson(await endJob(tx, job, 'cancelled', now), await listHiddenGoals(tx, user, [job]))
    audit({
      target: jobTarget(job),
      changes: [{ field: 'devices', before: job.total, after: job.total - cancelled.counts.cancelled }],
    })
    return cancelled
  })

  route(api, contract.undoDeviceJob, async ({ tx, project, params, user, request, now, place, audit }) => {
    const job = await lockJob(tx, params.jobId)
    if (!canUndo(job)) {
      const { state, action, undone_by } = jobToJson(job)
      const reasons = [
        state === 'running' && 'The job is still running. Cancel it first',
        action === 'decommission' && 'A decommission cannot be undone',
        undone_by !== null && 'The job was undone already',
      ]
      refuse(409, 'conflict', { message: reasons.find((text) => text !== false) ?? 'The job has changed no device' })
    }
    await requireRoom(tx, job.projectId)
    if (job.args.project) {
      const [own, other] = [{ ...place, project }, await findGoal(tx, user, job.args.project.id)]
      // An undo goes the other way, that of an undo again the first one.
      const [from, goal] = isMoveBack(job) ? [own, other] : [other, own]
      await requireMayMoveOut(tx, above.hasUnapprovedRollout, from, goal)
    }
    const { projectId, action } = job
    const args = action === 'move' ? { ...job.args, back: !isMoveBack(job) } : job.args
    const made = { projectId, chainId: place.auditChainId, action, args, maker: makerOf({ user, request }), undoOf: job.id }
    const job_id = await insertJob(tx, made, now)
    const total = await insertUndoRows(tx, job_id, job.id)
    await updateJob(tx, job_id, { total }, now)
    await updateJob(tx, job.id, { undoneBy: job_id }, now)
    audit({ target: jobTarget(job), changes: [{ field: 'devices', before: 0, after: total }], reason: `Job ${job_id}` })
    return { job_id }
  })
}
