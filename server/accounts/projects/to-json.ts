import type { Infer } from 'superstruct'
import type { Project, ProjectCounts } from '../../../contract/accounts/projects'
import type { Tx } from '../../core/database/tx'
import { entityToJson } from '../../core/timestamps'
import type { OwnedProject } from './repository'

export type Counts = Infer<typeof ProjectCounts>
/** Counts devices, releases and rollouts of projects by their id. Passed in, because they belong to higher domains. */
export type CountProjectContents = (tx: Tx, projectIds: readonly string[], now: Date) => Promise<Map<string, Counts>>

export const projectToJson = ({ project, publicId }: OwnedProject, counts: Counts | undefined): Project => ({
  ...entityToJson(project),
  name: project.name,
  description: project.description,
  // §3: absent for a personal project.
  ...(publicId !== null && { organization_id: publicId }),
  counts: counts ?? { devices: 0, devices_online: 0, devices_attention: 0, releases: 0, open_rollouts: 0 },
  settings: project.settings,
})
