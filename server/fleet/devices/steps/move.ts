import * as contract from '../../../../contract/fleet/device-lifecycle'
import { allows } from '../../../../contract/core/permissions'
import { resolveScope } from '../../../accounts/projects/resolve-scope'
import type { Tx } from '../../../core/database/tx'
import type { Api } from '../../../core/http/api'
import type { User } from '../../../core/http/actors'
import type { ProjectScope } from '../../../core/http/scope'
import { notFound, Refusal, refuse, refuseField } from '../../../core/http/refuse'
import { route } from '../../../core/http/route'
import { listKeysOfProject } from '../../keys/repository'
import { listTagsByName } from '../../tags/repository'
import { deviceTarget } from '../audit-target'
import { requireDeviceCapacity } from '../capacity'
import { hasOwnToken, moveDeviceTokens } from '../device-token.repository'
import { insertInstallation } from '../installations.repository'
import { requireKnownModel } from '../models'
import { lockFormerRow, renameMovedTo } from './moved.repository'
import { type HasUnapprovedRollout, type MovePlace, requireMayMoveOut } from './moving-out'
import { tellOfMovedDevices } from './tell-moved-out'
import { readDevice } from '../read'
import { toFollowingColumns } from '../reported'
import { type DeviceChanges, type DeviceRow, insertDevice, lockDeviceForChange, updateDevice } from '../repository'
import { listTagsOfDevices, updateDeviceTags } from '../tags.repository'
import { statesOf } from '../state/update-group'

/** What belongs to the row in one project, or is set by the move. Any other column follows the device. */
type Left =
  | 'id'
  | 'createdAt'
  | 'updatedAt'
  | 'revision'
  | 'projectId'
  | 'reportedReleaseId'
  | `installed${string}`
  | `update${'RolloutId' | 'ReleaseId' | 'Version' | 'DisplayVersion' | 'State' | 'StateSince' | 'Progress' | 'BytesDone' | 'BytesTotal' | 'Attempt' | 'ErrorCode' | 'ErrorText'}`
  | `quarantine${string}`
  | `health${string}`
  | 'keyListCounter'
  | 'importId'
  | 'deletedAt'
  | 'movedToId'
  | 'formerProjectIds'
type Followed = { [K in keyof DeviceRow as K extends Left ? never : K]: DeviceRow[K] }

const followingColumns = (row: DeviceRow): Followed => ({
  ...toFollowingColumns(row),
  name: row.name,
  serialNumber: row.serialNumber,
  hardwareModel: row.hardwareModel,
  protocol: row.protocol,
  lifecycle: row.lifecycle,
  enrollment: row.enrollment,
  publicKey: row.publicKey,
  provedMs: row.provedMs,
  firstSeenAt: row.firstSeenAt,
  lastSeenAt: row.lastSeenAt,
  contact: row.contact,
  enrolledAt: row.enrolledAt,
  pollingIntervalS: row.pollingIntervalS,
  nextPollingS: row.nextPollingS,
  configuredPollingS: row.configuredPollingS,
  seenFrom: row.seenFrom,
  tokenSharedAt: row.tokenSharedAt,
  tokenSharedBy: row.tokenSharedBy,
  eventSequence: row.eventSequence,
  updatesEnabled: row.updatesEnabled,
  updatesPausedUntil: row.updatesPausedUntil,
  attributes: row.attributes,
  attributesHash: row.attributesHash,
  metadata: row.metadata,
  timezone: row.timezone,
  notes: row.notes,
})

const installedColumns = (row: DeviceRow) => ({
  // The next check-in looks the release up in the other project: a device that returns may run one of its first project.
  reportedReleaseId: null,
  installedReleaseId: null,
  installedName: row.installedName,
  installedVersion: row.installedVersion,
  installedDisplayVersion: row.installedDisplayVersion,
  installedAt: row.installedAt,
  installedSlot: row.installedSlot,
  installedConfirmed: row.installedConfirmed,
})

/** The other project, in which the caller needs the same permission. */
export const findGoal = async (tx: Tx, user: User, projectId: string): Promise<MovePlace> => {
  const scope = { from: 'path', param: 'projectId' } as const
  const found = await resolveScope({ loaders: {}, tx, scope, params: { projectId }, user })
  const { project, organization, grants, auditChainId } = found
  if (!project) return notFound()
  if (!allows(grants, ['project:manage_devices']))
    refuse(403, 'forbidden', {
      requiredPermission: 'project:manage_devices',
      message: `Your role in ${project.name} may not manage devices`,
    })
  return { project, organization, grants, auditChainId }
}

/** Those of the projects of which a person may not know. */
export const listHiddenProjects = async (tx: Tx, user: User, ids: readonly string[]): Promise<Set<string>> => {
  const hidden = new Set<string>()
  const scope = { from: 'path', param: 'projectId' } as const
  for (const projectId of new Set(ids))
    await resolveScope({ loaders: {}, tx, scope, params: { projectId }, user }).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error
      hidden.add(projectId)
    })
  return hidden
}

const requireMovable = async (tx: Tx, device: DeviceRow, now: Date): Promise<void> => {
  const { lifecycle, updateState } = device
  if (lifecycle !== 'active' && lifecycle !== 'disabled')
    refuse(409, 'conflict', { message: `A device that is ${lifecycle} cannot be moved`, about: { lifecycle } })
  if (updateState !== null && statesOf('in_progress').includes(updateState))
    refuse(409, 'update_running', { message: 'An update of this device is running: wait for its end, or cancel it' })
  if (!(await hasOwnToken(tx, device.id, now)))
    refuse(409, 'no_own_token', {
      message: 'This device has no token of its own: issue one and put it on the device before you move it',
    })
}

/** The agent installs only what a key that it trusts has signed; clients of DDI verify by other means. */
const requireTrustedKey = async (tx: Tx, { protocol, trustedKeys }: DeviceRow, { id, name }: ProjectScope): Promise<void> => {
  if (protocol === 'ddi') return
  const valid = (await listKeysOfProject(tx, id)).filter(({ state }) => state === 'active' || state === 'retiring')
  if (valid.some(({ fingerprint }) => trustedKeys.includes(fingerprint))) return
  refuse(409, 'key_mismatch', {
    message: `The device trusts no signing key of ${name}, so it would refuse every release`,
    about: { missing: valid.map((key) => ({ name: key.name, fingerprint: key.fingerprint })) },
  })
}

/** A device that returns has its former row again, with its history. */
const placeRow = async (tx: Tx, before: DeviceRow, projectId: string, now: Date): Promise<DeviceRow> => {
  const former = await lockFormerRow(tx, projectId, before.id)
  const columns: DeviceChanges = {
    ...followingColumns(before),
    healthStatus: 'unknown',
    healthReasons: [],
    formerProjectIds: [...new Set([...before.formerProjectIds, before.projectId])],
  }
  const isUnchanged = former && before.installedReleaseId === null && before.installedVersion === former.installedVersion
  const installed = isUnchanged ? {} : installedColumns(before)
  const { name, hardwareModel, lifecycle, enrollment } = before
  const made = former
    ? await updateDevice(tx, former.id, { ...columns, ...installed, deletedAt: null, movedToId: null }, now)
    : await insertDevice(tx, { ...columns, ...installed, projectId, name, hardwareModel, lifecycle, enrollment }, now)
  const { installedVersion: version, installedSlot: slot, installedConfirmed: confirmed } = before
  if (!isUnchanged && version !== null) {
    const running = { name: before.installedName, displayVersion: before.installedDisplayVersion, version, slot, confirmed }
    await insertInstallation(tx, { projectId, deviceId: made.id, releaseId: null, ...running }, before.installedAt ?? now)
  }
  return made
}

/**
 * Tags follow by their names, as far as the other project has them. A device that returns also has those again that the project
 * it comes from does not have. Returns the names that it loses.
 */
const moveTags = async (tx: Tx, before: DeviceRow, after: DeviceRow): Promise<string[]> => {
  const tags = await listTagsOfDevices(tx, [before.id, after.id])
  const current = (tags.get(before.id) ?? []).map(({ name }) => name)
  const former = (tags.get(after.id) ?? []).map(({ name }) => name)
  const shared = new Set((await listTagsByName(tx, before.projectId, former)).map(({ name }) => name))
  const names = [...new Set([...current, ...former.filter((name) => !shared.has(name))])]
  const known = await listTagsByName(tx, after.projectId, names)
  await updateDeviceTags(tx, { projectId: after.projectId, deviceId: after.id }, known)
  return current.filter((name) => !known.some((tag) => tag.name === name))
}

export type Above = {
  /** What the domain of a client's protocol keeps about a device. */
  copyClientState: (tx: Tx, fromId: string, to: { id: string; projectId: string }) => Promise<void>
  hasUnapprovedRollout: HasUnapprovedRollout
}

type Move = { from: { name: string }; goal: ProjectScope; withoutTrustedKey: boolean; now: Date }

/**
 * Moves a locked device (decision 35): its row stays as a deleted one with the history, and a new row of the other project takes
 * its tokens. Returns the new row and the changes for the audit log.
 */
export const moveDevice = async (
  tx: Tx,
  { copyClientState }: Pick<Above, 'copyClientState'>,
  before: DeviceRow,
  { from, goal, withoutTrustedKey, now }: Move,
) => {
  await requireMovable(tx, before, now)
  requireKnownModel(goal.settings, before.hardwareModel)
  if (!withoutTrustedKey) await requireTrustedKey(tx, before, goal)
  await requireDeviceCapacity(tx, goal.id, goal.plan)
  const after = await placeRow(tx, before, goal.id, now)
  const lost = await moveTags(tx, before, after)
  await updateDevice(tx, before.id, { deletedAt: now, movedToId: after.id }, now)
  await renameMovedTo(tx, before.id, after.id)
  await moveDeviceTokens(tx, before.id, { projectId: after.projectId, deviceId: after.id })
  await copyClientState(tx, before.id, after)
  const changes = [
    { field: 'project', before: from.name, after: goal.name },
    ...(lost.length > 0 ? [{ field: 'tags', before: lost, after: [] }] : []),
  ]
  return { after, changes }
}

export const moveRoutes = (api: Api, above: Above): void => {
  route(api, contract.moveDevice, async ({ tx, project, place, params, body, user, now, audit, checkRevision }) => {
    const before = await lockDeviceForChange(tx, params.deviceId)
    checkRevision(before)
    if (body.project_id === project.id) refuseField('project_id', 'same_project', 'The device is in this project already')
    const goal = await findGoal(tx, user, body.project_id)
    const from = { ...place, project }
    await requireMayMoveOut(tx, above.hasUnapprovedRollout, from, goal)
    const withoutTrustedKey = body.without_trusted_key === true
    const move = { from: project, goal: goal.project, withoutTrustedKey, now }
    const { after, changes } = await moveDevice(tx, above, before, move)
    audit({
      target: deviceTarget(before),
      changes,
      also: { auditChainId: goal.auditChainId, projectId: goal.project.id, target: deviceTarget(after) },
    })
    await tellOfMovedDevices(tx, {
      from: project,
      goal: goal.project,
      by: user,
      count: 1,
      device: after.name,
      topic: `move ${after.id}`,
      now,
    })
    return readDevice({ tx, project: goal.project, now }, after.id)
  })
}
