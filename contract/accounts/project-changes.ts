import { boolean, type Infer, integer, nullable, object, optional, refine, string } from 'superstruct'
import { endpoint, requires, inOrganization, inProject, session } from '../core/endpoint'
import { HardwareModels } from '../fleet/hardware-model-changes'
import { ThresholdsChange } from '../fleet/health'
import { Project } from './projects'
import { text, boundedInteger } from '../core/rules'
import { PublicId } from '../core/shapes'

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
  tokens: false,
  audit: 'project.delete',
  rate: 'write',
  conditional: true,
  body: object({ confirm_name: string() }),
  answer: 'none',
})
export const transferProject = endpoint({
  method: 'POST',
  path: '/projects/:projectId/transfer',
  summary:
    'Transfer a project to another organization, or to the personal space of the caller (null). The caller may delete it here and create projects there. Needs its name as confirmation. 402 over the plan of the new owner.',
  needs: requires(inProject, 'project:delete'),
  tokens: false,
  audit: 'project.transfer',
  rate: 'write',
  conditional: true,
  body: object({ organization_id: nullable(PublicId), confirm_name: string() }),
  answer: Project,
})
