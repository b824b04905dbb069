import { array, boolean, type Infer, integer, nullable, object, optional, record, refine, string, type } from 'superstruct'
import { endpoint, requires, inOrganization, inProject, session } from './endpoint'
import { Threshold, ThresholdsChange } from './health'
import { HardwareModel, HardwareModels } from './hardware-models'
import { PermissionGroups } from './permissions'
import { text, boundedInteger } from './rules'
import { entity, PublicId } from './shapes'

export const ProjectSettings = type({
  polling_interval_s: integer(),
  auto_accept_devices: boolean(),
  max_concurrent_updates: integer(),
  device_failure_threshold: integer(),
  quarantine_s: integer(),
  update_timeout_s: integer(),
  require_approval: boolean(),
  health_thresholds: record(string(), Threshold),
  hardware_models: array(HardwareModel),
})
export type ProjectSettings = Infer<typeof ProjectSettings>

export const ProjectCounts = type({
  devices: integer(),
  devices_online: integer(),
  devices_attention: integer(),
  releases: integer(),
  open_rollouts: integer(),
})

export const Project = type({
  ...entity,
  name: string(),
  description: string(),
  /** Absent = personal (§3). */
  organization_id: optional(PublicId),
  counts: ProjectCounts,
  settings: ProjectSettings,
})
export type Project = Infer<typeof Project>

const name = text('Name', { max: 64 })
const description = text('Description', { min: 0, max: 512 })

/** The form of "Add Project": the console validates with it on submit, the server again. */
export const NewProject = object({ name, description: optional(description) })
export type NewProject = Infer<typeof NewProject>

const seconds = refine(integer(), 'range', (value) => (value >= 30 && value <= 604_800) || 'Between 30 seconds and 7 days')

export const ProjectChange = object({
  name: optional(name),
  description: optional(description),
  settings: optional(
    object({
      polling_interval_s: optional(seconds),
      auto_accept_devices: optional(boolean()),
      max_concurrent_updates: optional(boundedInteger('Max concurrent updates', 1, 10_000)),
      device_failure_threshold: optional(boundedInteger('Device failure threshold', 1, 20)),
      quarantine_s: optional(boundedInteger('Quarantine', 0, 604_800)),
      update_timeout_s: optional(boundedInteger('Update timeout', 300, 604_800)),
      require_approval: optional(boolean()),
      health_thresholds: optional(ThresholdsChange),
      hardware_models: optional(HardwareModels),
    }),
  ),
})

const projectList = type({ projects: array(Project) })

export const personalProjects = endpoint({
  method: 'GET',
  path: '/projects',
  summary: 'List the personal projects of the caller (§7).',
  needs: session,
  audit: 'none',
  rate: 'read',
  answer: projectList,
})
export const organizationProjects = endpoint({
  method: 'GET',
  path: '/organizations/:organizationId/projects',
  summary: 'List the projects of an organization (§7).',
  needs: requires(inOrganization, 'organization:view'),
  audit: 'none',
  rate: 'read',
  answer: projectList,
})
export const createPersonalProject = endpoint({
  method: 'POST',
  path: '/projects',
  summary: 'Create a personal project.',
  needs: session,
  audit: 'project.create',
  rate: 'write',
  body: NewProject,
  answer: Project,
  status: 201,
})
export const createOrganizationProject = endpoint({
  method: 'POST',
  path: '/organizations/:organizationId/projects',
  summary: 'Create a project of an organization (§6).',
  needs: requires(inOrganization, 'project:create'),
  audit: 'project.create',
  rate: 'write',
  body: NewProject,
  answer: Project,
  status: 201,
})
export const project = endpoint({
  method: 'GET',
  path: '/projects/:projectId',
  summary: 'Get a project.',
  needs: requires(inProject, 'project:view'),
  audit: 'none',
  rate: 'read',
  answer: Project,
})
export const updateProject = endpoint({
  method: 'PATCH',
  path: '/projects/:projectId',
  summary: 'Change the name, description and settings of a project.',
  needs: requires(inProject, 'project:update'),
  audit: 'project.update',
  rate: 'write',
  conditional: true,
  body: ProjectChange,
  answer: Project,
})
export const deleteProject = endpoint({
  method: 'DELETE',
  path: '/projects/:projectId',
  summary: 'Delete a project with everything in it. Needs its name as confirmation.',
  needs: requires(inProject, 'project:delete'),
  audit: 'project.delete',
  rate: 'write',
  conditional: true,
  body: object({ confirm_name: string() }),
  answer: 'none',
})
export const personalProjectPermissions = endpoint({
  method: 'GET',
  path: '/projects/:projectId/members/:memberId/permissions',
  summary: 'Get the permissions of a guest in a personal project; null for the owner, who has no list (R7).',
  needs: { kind: 'self', scope: inProject, or: ['project:manage_members'] },
  audit: 'none',
  rate: 'read',
  answer: type({ permissions: nullable(PermissionGroups), baseRole: nullable(string()) }),
})
