import { array, boolean, enums, type Infer, integer, nullable, object, optional, refine, string, type } from 'superstruct'
import { DeviceFilter, DeviceTags, withAttributes } from './devices'
import { endpoint, inProject, onObject, requires } from '../core/endpoint'
import { listOf, listQuery } from '../core/lists'
import { boundedList } from '../core/bounded'
import { boundedOneOf } from '../core/bounded-one-of'
import { boundedInteger } from '../core/rules'
import { Author, Id, Timestamp } from '../core/shapes'

const bulkActions = [
  'add_tags',
  'remove_tags',
  'replace_tags',
  'enable_updates',
  'disable_updates',
  'pause_until',
  'resume',
  'disable',
  'enable',
  'decommission',
  'move',
] as const
export type BulkAction = (typeof bulkActions)[number]

export const bulkLimits = {
  /** Devices of one job. */
  devices: 100_000,
  /** Jobs of a project at a time. */
  running: 10,
  /** Ids in one request, of selected or of excluded devices. */
  ids: 10_000,
  /** The share by which the number of devices may differ from the one that the person saw. */
  drift: 0.01,
} as const
/** A job is kept, and can be undone, for so long, in days. */
export const deviceJobDays = 30

/** `stopped`: its maker may no longer do this. */
const deviceJobStates = ['running', 'done', 'cancelled', 'stopped'] as const
/** `skipped`: it was changed since, so it is not undone. `cancelled`: the job ended before it reached the device. */
export const rowResults = ['waiting', 'done', 'unchanged', 'failed', 'skipped', 'cancelled'] as const
export type RowResult = (typeof rowResults)[number]

export const DeviceJobRow = type({
  position: integer(),
  /** `project_id`: where the device is now. */
  device: type({ id: Id, name: string(), project_id: Id }),
  result: enums(rowResults),
  code: nullable(string()),
  message: nullable(string()),
})
export type DeviceJobRow = Infer<typeof DeviceJobRow>

export const DeviceJob = type({
  id: Id,
  project_id: Id,
  created_at: Timestamp,
  created_by: Author,
  action: enums(bulkActions),
  args: type({
    tags: optional(array(string())),
    until: optional(Timestamp),
    project: optional(type({ id: Id, name: string() })),
    without_trusted_key: optional(boolean()),
  }),
  state: enums(deviceJobStates),
  stop_reason: nullable(string()),
  finished_at: nullable(Timestamp),
  total: integer(),
  /** The number of devices by result. */
  counts: type({
    waiting: integer(),
    done: integer(),
    unchanged: integer(),
    failed: integer(),
    skipped: integer(),
    cancelled: integer(),
  }),
  /** The job that this one undoes. */
  undo_of: nullable(Id),
  /** The job that undoes this one. */
  undone_by: nullable(Id),
  can_undo: boolean(),
})
export type DeviceJob = Infer<typeof DeviceJob>

const DeviceJobWithFailures = type({ ...DeviceJob.schema, first_failures: array(DeviceJobRow) })
export type DeviceJobWithFailures = Infer<typeof DeviceJobWithFailures>

const { deleted: _, ...aliveFilter } = DeviceFilter
const Ids = boundedList(Id, bulkLimits.ids)
export const BulkFilter = withAttributes({ q: listQuery.q, ...aliveFilter })
export type BulkFilter = Infer<typeof BulkFilter>

export const Selection = boundedOneOf([
  object({ ids: refine(Ids, 'required', (ids) => ids.length > 0 || 'Select at least one device') }),
  object({ filter: BulkFilter, excluded_ids: optional(Ids) }),
])
export type Selection = Infer<typeof Selection>

export const BulkArgs = object({
  tags: optional(DeviceTags),
  until: optional(Timestamp),
  project_id: optional(Id),
  /** Move devices although they refuse every release of that project until they trust one of its keys. */
  without_trusted_key: optional(boolean()),
})
export type BulkArgs = Infer<typeof BulkArgs>

export const BulkChange = object({
  selection: Selection,
  /** The number of devices that the caller saw. */
  expected_count: boundedInteger('Number of devices', 1, bulkLimits.devices),
  action: enums(bulkActions),
  args: optional(BulkArgs),
})
export type BulkChange = Infer<typeof BulkChange>

const started = type({ job_id: Id })

export const bulkChangeDevices = endpoint({
  method: 'POST',
  path: '/projects/:projectId/devices/bulk',
  summary:
    'Change many devices by a job: those with the ids, or all of a filter. 409 `count_changed` if their number differs by more than 1 % from the expected one.',
  needs: requires(inProject, 'project:manage_devices'),
  audit: 'device_job.create',
  rate: 'write',
  needsSpace: true,
  body: BulkChange,
  answer: started,
  status: 202,
})
export const deviceJobs = endpoint({
  method: 'GET',
  path: '/projects/:projectId/jobs',
  summary: 'List the jobs that change devices of a project, newest first.',
  needs: requires(inProject, 'device:view'),
  audit: 'none',
  rate: 'read',
  query: object({ limit: listQuery.limit, cursor: listQuery.cursor }),
  answer: listOf('jobs', DeviceJob),
})

const read = requires(onObject('device_job', 'jobId'), 'device:view')
const write = requires(onObject('device_job', 'jobId'), 'project:manage_devices')

export const deviceJob = endpoint({
  method: 'GET',
  path: '/jobs/:jobId',
  summary: 'Get a job with the number of devices by result and the first devices that failed.',
  needs: read,
  audit: 'none',
  rate: 'read',
  answer: DeviceJobWithFailures,
})
export const deviceJobRows = endpoint({
  method: 'GET',
  path: '/jobs/:jobId/rows',
  summary: 'List the devices of a job with their results, by name.',
  needs: read,
  audit: 'none',
  rate: 'read',
  query: object({ limit: listQuery.limit, cursor: listQuery.cursor, result: optional(enums(rowResults)) }),
  answer: listOf('rows', DeviceJobRow),
})
export const cancelDeviceJob = endpoint({
  method: 'POST',
  path: '/jobs/:jobId/cancel',
  summary: 'Cancel a running job. Devices that it has changed stay changed.',
  needs: write,
  audit: 'device_job.cancel',
  rate: 'write',
  answer: DeviceJob,
})
export const undoDeviceJob = endpoint({
  method: 'POST',
  path: '/jobs/:jobId/undo',
  summary: 'Undo a job that has ended, by a job over the devices that it has changed. Those that were changed since are skipped.',
  needs: write,
  audit: 'device_job.undo',
  rate: 'write',
  needsSpace: true,
  answer: started,
  status: 202,
})
