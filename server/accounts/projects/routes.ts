import { and, eq } from 'drizzle-orm'
import { allows, type Grants, group } from '../../../contract/permissions'
import * as contract from '../../../contract/projects'
import { projectRolePermissions } from '../../../contract/roles'
import { organizations } from '../schema/organizations'
import { users } from '../schema/people'
import { projectGuests, projects } from '../schema/projects'
import type { Tx } from '../../core/database/tx'
import type { Deps } from '../../core/deps'
import type { Api } from '../../core/http/api'
import { changesOf } from '../../core/http/audit'
import { rowUpdate } from '../../core/database/row'
import { requirePlanCapacity } from '../plan-limit'
import { notFound, refuse, refuseField } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import {
  countProjects,
  type CountProjectContents,
  insertProject,
  personalProjectsOf,
  projectById,
  projectsOf,
} from './repository'
import { resolveScope } from './resolve-scope'
import { isResponsible } from './responsible.repository'

const target = ({ id, name }: { id: string; name: string }) => ({ kind: 'project', id, name })
const taken = { field: 'name', code: 'taken', message: 'A project with this name exists already' }

type ApprovalRule = { require_approval?: boolean | undefined }

/** People who need another person's approval cannot turn that rule off; owners and admins, who manage members, can. */
const requireApprovalRight = (before: ApprovalRule, asked: ApprovalRule | undefined, grants: Grants): void => {
  const changes = asked?.require_approval !== undefined && asked.require_approval !== before.require_approval
  if (changes && !allows(grants, ['project:manage_members']))
    refuse(403, 'forbidden', { requiredPermission: 'project:manage_members' })
}

/** Functions of the domains above accounts that projects need. */
type Above = {
  countContents: CountProjectContents
  /** Ends the uploads of a deleted project; call the returned function after the commit to remove their bytes. */
  endUploads: (tx: Tx, deps: Deps, projectId: string) => Promise<() => unknown>
}

export const projectRoutes = (api: Api, { countContents, endUploads }: Above): void => {
  api.resolveScope = resolveScope
  api.isResponsible = isResponsible
  api.uniques.set('projects_organization_name', taken).set('projects_owner_name', taken)

  route(api, contract.personalProjects, async ({ tx, user, now }) => ({
    projects: await personalProjectsOf({ tx, now, countContents }, user.id),
  }))

  route(api, contract.organizationProjects, async ({ tx, organization, now }) => ({
    projects: await projectsOf({ tx, now, countContents }, { organizationId: organization.id }),
  }))

  route(api, contract.createPersonalProject, async ({ tx, user, body, now, audit }) => {
    const owner = { ownerId: user.id }
    // Concurrent requests must not exceed the limit together.
    await tx.select().from(users).where(eq(users.id, user.id)).for('no key update')
    requirePlanCapacity(user.plan, 'projects', await countProjects(tx, owner))
    const made = await projectById({ tx, now, countContents }, await insertProject(tx, { ...body, owner, now }))
    audit({ target: target(made), projectId: made.id })
    return made
  })

  route(api, contract.createOrganizationProject, async ({ tx, organization, body, now, audit }) => {
    const owner = { organizationId: organization.id }
    await tx.select().from(organizations).where(eq(organizations.id, organization.id)).for('no key update')
    requirePlanCapacity(organization.plan, 'projects', await countProjects(tx, owner))
    const made = await projectById({ tx, now, countContents }, await insertProject(tx, { ...body, owner, now }))
    audit({ target: target(made), projectId: made.id })
    return made
  })

  route(api, contract.project, ({ tx, project, now }) => projectById({ tx, now, countContents }, project.id))

  route(api, contract.updateProject, async ({ tx, project, body, now, audit, checkRevision, grants }) => {
    const before = await projectById({ tx, now, countContents }, project.id, true)
    checkRevision(before)
    const { settings, ...rest } = body
    requireApprovalRight(before.settings, settings, grants)
    await tx
      .update(projects)
      .set({ ...rest, settings: { ...before.settings, ...settings }, ...rowUpdate(now) })
      .where(eq(projects.id, project.id))
    const after = await projectById({ tx, now, countContents }, project.id)
    audit({ target: target(after), changes: changesOf(before, after, ['name', 'description', 'settings']) })
    return after
  })

  route(api, contract.deleteProject, async ({ tx, deps, project, body, now, audit, checkRevision, afterCommit }) => {
    const before = await projectById({ tx, now, countContents }, project.id, true)
    checkRevision(before)
    if (body.confirm_name !== before.name) refuseField('confirm_name', 'mismatch', 'Type the name of the project')
    const discard = await endUploads(tx, deps, project.id)
    await tx.delete(projects).where(eq(projects.id, project.id))
    afterCommit(discard)
    audit({ target: target(before) })
  })

  route(api, contract.personalProjectPermissions, async ({ tx, project, params, user }) => {
    if (project.organizationId !== null)
      refuse(409, 'organization_owned', { message: 'The members of the organization are the members of this project' })
    const userId = params.memberId === 'self' ? user.id : params.memberId
    // R7: the owner has no permission list.
    if (userId === project.ownerId) return { permissions: null, baseRole: 'owner' }
    const [guest] = await tx
      .select()
      .from(projectGuests)
      .where(and(eq(projectGuests.projectId, project.id), eq(projectGuests.userId, userId)))
    return guest ? { permissions: group(projectRolePermissions[guest.role]), baseRole: guest.role } : notFound()
  })
}
