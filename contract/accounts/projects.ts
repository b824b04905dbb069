import { array, boolean, type Infer, integer, nullable, optional, record, string, type } from 'superstruct'
import { endpoint, requires, inOrganization, inProject, session } from '../core/endpoint'
import { HardwareModel } from '../fleet/hardware-models'
import { Threshold } from '../fleet/thresholds'
import { PermissionGroups } from '../core/permissions'
import { entity, PublicId, Timestamp } from '../core/shapes'

export const ProjectSettings = type({
  polling_interval_s: integer(),
  /** The interval before it was shortened: devices that may not know the new one yet are late and offline by it, until then. */
  former_polling: optional(type({ interval_s: integer(), until: Timestamp })),
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
  summary: 'List the projects of an organization that the caller may view (§7).',
  needs: requires(inOrganization, 'organization:view'),
  audit: 'none',
  rate: 'read',
  answer: projectList,
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
export const personalProjectPermissions = endpoint({
  method: 'GET',
  path: '/projects/:projectId/members/:memberId/permissions',
  summary: 'Get the permissions of a guest in a personal project; null for the owner, who has no list (R7).',
  needs: { kind: 'self', scope: inProject, or: ['project:manage_members'] },
  audit: 'none',
  rate: 'read',
  answer: type({ permissions: nullable(PermissionGroups), baseRole: nullable(string()) }),
})
