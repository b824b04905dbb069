import { asc, count, eq, inArray, or, type SQL } from 'drizzle-orm'
import type { Infer } from 'superstruct'
import type { Project, ProjectCounts } from '../../../contract/projects'
import { organizations } from '../schema/organizations'
import { projectGuests, projects } from '../schema/projects'
import type { Tx } from '../../core/database/tx'
import { newRow } from '../../core/database/row'
import { notFound } from '../../core/http/refuse'
import { entityToJson } from '../../core/timestamps'
import { standardSettings } from './settings'

export type Counts = Infer<typeof ProjectCounts>
/** Counts devices, releases and rollouts of projects by their id. Passed in, because they belong to higher domains. */
export type CountProjectContents = (tx: Tx, projectIds: readonly string[], now: Date) => Promise<Map<string, Counts>>
type Row = { project: typeof projects.$inferSelect; publicId: string | null }

const projectToJson = ({ project, publicId }: Row, counts: Counts | undefined): Project => ({
  ...entityToJson(project),
  name: project.name,
  description: project.description,
  // §3: absent for a personal project.
  ...(publicId !== null && { organization_id: publicId }),
  counts: counts ?? { devices: 0, devices_online: 0, devices_attention: 0, releases: 0, open_rollouts: 0 },
  settings: project.settings,
})

const select = (tx: Tx, where: SQL) =>
  tx
    .select({ project: projects, publicId: organizations.publicId })
    .from(projects)
    .leftJoin(organizations, eq(organizations.id, projects.organizationId))
    .where(where)

type Reading = { tx: Tx; now: Date; countContents: CountProjectContents }

const list = async ({ tx, now, countContents }: Reading, where: SQL): Promise<Project[]> => {
  const rows = await select(tx, where).orderBy(asc(projects.createdAt), asc(projects.id))
  const ids = rows.map(({ project }) => project.id)
  const counts = await countContents(tx, ids, now)
  return rows.map((row) => projectToJson(row, counts.get(row.project.id)))
}

/** Who owns a project: an organization or a person. */
export type Owner = { organizationId: string } | { ownerId: string }

const ownedBy = (owner: Owner) =>
  'ownerId' in owner ? eq(projects.ownerId, owner.ownerId) : eq(projects.organizationId, owner.organizationId)

export const projectsOf = (reading: Reading, owner: Owner): Promise<Project[]> => list(reading, ownedBy(owner))

/** A person's own projects, and those in which they are a guest. */
export const personalProjectsOf = (reading: Reading, userId: string): Promise<Project[]> => {
  const asGuest = reading.tx.select({ id: projectGuests.projectId }).from(projectGuests).where(eq(projectGuests.userId, userId))
  return list(reading, or(eq(projects.ownerId, userId), inArray(projects.id, asGuest)) ?? ownedBy({ ownerId: userId }))
}

/** One project as JSON. `lock` for changes. */
export const projectById = async (reading: Reading, id: string, lock = false): Promise<Project> => {
  if (lock) await reading.tx.select().from(projects).where(eq(projects.id, id)).for('update')
  const [project] = await list(reading, eq(projects.id, id))
  return project ?? notFound()
}

export const countProjects = async (tx: Tx, owner: Owner): Promise<number> => {
  const [counted] = await tx.select({ n: count() }).from(projects).where(ownedBy(owner))
  return counted?.n ?? 0
}

type New = { name: string; description?: string | undefined; owner: Owner; now: Date }

export const insertProject = async (tx: Tx, { name, description = '', owner, now }: New): Promise<string> => {
  const row = { ...newRow(now), ...owner, name, description, settings: standardSettings }
  await tx.insert(projects).values(row)
  return row.id
}
