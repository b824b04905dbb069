import { allows, type Grants, group } from '../../../contract/core/permissions'
import type { Plan } from '../../../contract/accounts/plans'
import * as projectChanges from '../../../contract/accounts/project-changes'
import * as contract from '../../../contract/accounts/projects'
import { projectRolePermissions } from '../../../contract/accounts/project-permissions'
import type { Tx } from '../../core/database/tx'
import type { Deps } from '../../core/deps'
import { emitEvent } from '../../core/events/emit'
import type { Api } from '../../core/http/api'
import type { Call } from '../../core/http/call'
import { changesOf } from '../../core/http/audit'
import { lockPlan } from '../organizations/repository'
import { lockUser } from '../users/repository'
import { findViewableProjects } from '../members/viewable-projects'
import { requirePlanAmount, requirePlanCapacity } from '../plan-limit'
import { notFound, refuse, refuseField } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import {
  changeOwner,
  countProjects,
  deleteProject,
  getOwnedProject,
  insertProject,
  listPersonalProjects,
  listProjects,
  lockForUpdate,
  type OwnedProject,
  type Owner,
  updateProject,
} from './repository'
import { type CountModelUse, hardwareModelChange } from './hardware-models'
import { findGuestRole } from './scope.repository'
import { type CountProjectContents, projectToJson } from './to-json'
import { lockTransferTarget, personalSpace } from './transfer-target'
import { formerPollingOf } from './settings'

const target = ({ id, name }: { id: string; name: string }) => ({ kind: 'project', id, name })

type ApprovalRule = { require_approval?: boolean | undefined }

/** People who need another person's approval cannot turn that rule off; owners and admins, who manage members, can. */
const requireApprovalRight = (before: ApprovalRule, asked: ApprovalRule | undefined, grants: Grants): void => {
  const changes = asked?.require_approval !== undefined && asked.require_approval !== before.require_approval
  if (changes && !allows(grants, ['project:manage_members']))
    refuse(403, 'forbidden', { requiredPermission: 'project:manage_members' })
}

/** Functions of the domains above accounts, and of accounts that use projects, that projects need. */
type Above = {
  countModelUse: CountModelUse
  countContents: CountProjectContents
  /** Ends the uploads of a deleted project; call the returned function after the commit to remove their bytes. */
  endUploads: (tx: Tx, deps: Deps, projectId: string) => Promise<() => unknown>
  /** Deletes the devices of a deleted project, with all that belongs to them. */
  purgeDevices: (tx: Tx, projectId: string) => Promise<void>
  /** Those of a project that gets another owner. */
  disableWebhooks: (tx: Tx, projectId: string, reason: string, now: Date) => Promise<void>
  /** What the plan of an owner limits. */
  countDevices: (tx: Tx, projectId: string) => Promise<number>
  countStoredBytes: (tx: Tx, owner: { organizationId: string | null; ownerId: string | null }) => Promise<number>
  /** Tells the owners of the organization that loses the project; `to`: null for the personal space of the caller. */
  tellOfTransfer: (
    tx: Tx,
    from: { id: string; name: string },
    told: { project: { id: string; name: string }; by: { id: string; name: string }; to: string | null; now: Date },
  ) => Promise<void>
}

export const projectRoutes = (api: Api, above: Above): void => {
  const {
    countContents,
    countModelUse,
    endUploads,
    purgeDevices,
    disableWebhooks,
    countDevices,
    countStoredBytes,
    tellOfTransfer,
  } = above

  type Reading = { tx: Tx; now: Date }
  const toJson = async ({ tx, now }: Reading, rows: OwnedProject[]): Promise<contract.Project[]> => {
    const ids = rows.map(({ project }) => project.id)
    const counts = await countContents(tx, ids, now)
    return rows.map((row) => projectToJson(row, counts.get(row.project.id)))
  }
  const read = async (reading: Reading, id: string): Promise<contract.Project> => {
    const [project] = await toJson(reading, [await getOwnedProject(reading.tx, id)])
    return project ?? notFound()
  }
  const readLocked = async (reading: Reading, id: string): Promise<contract.Project> => {
    await lockForUpdate(reading.tx, id)
    return read(reading, id)
  }

  route(api, contract.personalProjects, async ({ tx, user, now }) => ({
    projects: await toJson({ tx, now }, await listPersonalProjects(tx, user.id)),
  }))

  // §4: every member gets a list, or the console would leave the organization; it has the projects that they may view.
  route(api, contract.organizationProjects, async ({ tx, organization, user, now }) => {
    const isViewable = await findViewableProjects(tx, organization, user.id)
    const rows = await listProjects(tx, { organizationId: organization.id })
    return {
      projects: await toJson(
        { tx, now },
        rows.filter(({ project }) => isViewable(project.id)),
      ),
    }
  })

  const changeModels = hardwareModelChange(countModelUse)

  type Creating = Pick<Call<typeof projectChanges.createPersonalProject>, 'tx' | 'now' | 'body' | 'audit'>
  const create = async ({ tx, now, body, audit }: Creating, owner: Owner, plan: Plan) => {
    // Concurrent requests must not exceed the limit together.
    await ('ownerId' in owner ? lockUser(tx, owner.ownerId) : lockPlan(tx, owner.organizationId))
    requirePlanCapacity(plan, 'projects', await countProjects(tx, owner))
    const created = await read({ tx, now }, await insertProject(tx, { ...body, owner, now }))
    audit({ target: target(created), projectId: created.id })
    return created
  }

  route(api, projectChanges.createPersonalProject, (call) => create(call, { ownerId: call.user.id }, call.user.plan))

  route(api, projectChanges.createOrganizationProject, (call) =>
    create(call, { organizationId: call.organization.id }, call.organization.plan),
  )

  route(api, contract.project, ({ tx, project, now }) => read({ tx, now }, project.id))

  route(api, projectChanges.updateProject, async ({ tx, project, body, user, now, audit, checkRevision, grants }) => {
    const before = await readLocked({ tx, now }, project.id)
    checkRevision(before)
    const { settings, ...rest } = body
    requireApprovalRight(before.settings, settings, grants)
    const models = await changeModels(tx, project.id, before.settings, settings?.hardware_models, now)
    const { former_polling: _, ...kept } = { ...before.settings, ...settings, hardware_models: models }
    const former = formerPollingOf(before.settings, kept.polling_interval_s, now)
    const changed = { ...kept, ...(former && { former_polling: former }) }
    await updateProject(tx, project.id, { ...rest, settings: changed }, now)
    const after = await read({ tx, now }, project.id)
    const changes = changesOf(before, after, ['name', 'description', 'settings'])
    const ofSettings = changes.some(({ field }) => field === 'settings')
    const data = { project: { id: after.id, name: after.name }, by: user.name }
    if (ofSettings) await emitEvent(tx, { projectId: after.id, type: 'project.settings_updated', data }, now)
    audit({ target: target(after), changes, ...(ofSettings && { action: 'project.settings_update' as const }) })
    return after
  })

  route(api, projectChanges.deleteProject, async ({ tx, deps, project, body, now, audit, checkRevision, afterCommit }) => {
    const before = await readLocked({ tx, now }, project.id)
    checkRevision(before)
    if (body.confirm_name !== before.name) refuseField('confirm_name', 'mismatch', 'Type the name of the project')
    const discard = await endUploads(tx, deps, project.id)
    await purgeDevices(tx, project.id)
    await deleteProject(tx, project.id)
    afterCommit(discard)
    audit({ target: target(before) })
  })

  route(api, projectChanges.transferProject, async ({ tx, project, place, body, user, now, audit, checkRevision }) => {
    const before = await readLocked({ tx, now }, project.id)
    checkRevision(before)
    if (body.confirm_name !== before.name) refuseField('confirm_name', 'mismatch', 'Type the name of the project')
    if (body.organization_id === (before.organization_id ?? null))
      refuseField('organization_id', 'same_owner', 'The project is there already')
    const to = await lockTransferTarget(tx, user, body.organization_id)
    await changeOwner(tx, project.id, to.owner, now)
    requirePlanAmount(to.plan, 'projects', await countProjects(tx, to.owner))
    requirePlanAmount(to.plan, 'devices_per_project', await countDevices(tx, project.id))
    requirePlanAmount(to.plan, 'storage_bytes', await countStoredBytes(tx, { organizationId: null, ownerId: null, ...to.owner }))
    await disableWebhooks(tx, project.id, 'The project was transferred', now)
    const after = await read({ tx, now }, project.id)
    const former = place.organization?.name ?? personalSpace
    const told = { project: after, by: user, to: body.organization_id === null ? null : to.name, now }
    if (place.organization) await tellOfTransfer(tx, place.organization, told)
    audit({
      target: target(after),
      changes: [{ field: 'owner', before: former, after: to.name }],
      also: { auditChainId: to.auditChainId },
    })
    return after
  })

  route(api, contract.personalProjectPermissions, async ({ tx, project, params, user }) => {
    if (project.organizationId !== null)
      refuse(409, 'organization_owned', { message: 'The members of the organization are the members of this project' })
    const userId = params.memberId === 'self' ? user.id : params.memberId
    // R7: the owner has no permission list.
    if (userId === project.ownerId) return { permissions: null, baseRole: 'owner' }
    const role = await findGuestRole(tx, project.id, userId)
    return role ? { permissions: group(projectRolePermissions[role]), baseRole: role } : notFound()
  })
}
