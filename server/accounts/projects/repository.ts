import { and, asc, count, eq, inArray, or, type SQL } from 'drizzle-orm'
import type { ProjectSettings } from '../../../contract/accounts/projects'
import { newRow, rowUpdate } from '../../core/database/row'
import type { Tx } from '../../core/database/tx'
import { notFound } from '../../core/http/refuse'
import { invites } from '../schema/invites'
import { organizations } from '../schema/organizations'
import { projectGuests, projectRoles, projects } from '../schema/projects'
import { standardSettings } from './settings'

export type ProjectRow = typeof projects.$inferSelect
/** A project with the public id of its organization; null for a personal project. */
export type OwnedProject = { project: ProjectRow; publicId: string | null }

/** Who owns a project: an organization or a person. */
export type Owner = { organizationId: string } | { ownerId: string }

const ownedBy = (owner: Owner) =>
  'ownerId' in owner ? eq(projects.ownerId, owner.ownerId) : eq(projects.organizationId, owner.organizationId)

const list = (tx: Tx, where: SQL): Promise<OwnedProject[]> =>
  tx
    .select({ project: projects, publicId: organizations.publicId })
    .from(projects)
    .leftJoin(organizations, eq(organizations.id, projects.organizationId))
    .where(where)
    .orderBy(asc(projects.createdAt), asc(projects.id))

export const findProject = async (tx: Tx, id: string): Promise<ProjectRow | undefined> => {
  const [project] = await tx.select().from(projects).where(eq(projects.id, id))
  return project
}

export const getOwnedProject = async (tx: Tx, id: string): Promise<OwnedProject> => {
  const [project] = await list(tx, eq(projects.id, id))
  return project ?? notFound()
}

export const listProjects = (tx: Tx, owner: Owner): Promise<OwnedProject[]> => list(tx, ownedBy(owner))

/** A person's own projects, and those in which they are a guest. */
export const listPersonalProjects = (tx: Tx, userId: string): Promise<OwnedProject[]> => {
  const asGuest = tx.select({ id: projectGuests.projectId }).from(projectGuests).where(eq(projectGuests.userId, userId))
  return list(tx, or(eq(projects.ownerId, userId), inArray(projects.id, asGuest)) ?? ownedBy({ ownerId: userId }))
}

export const countProjects = async (tx: Tx, owner: Owner): Promise<number> => {
  const [counted] = await tx.select({ n: count() }).from(projects).where(ownedBy(owner))
  return counted?.n ?? 0
}

/** Locks a project for a change of the project itself. */
export const lockForUpdate = async (tx: Tx, id: string): Promise<void> => {
  await tx.select().from(projects).where(eq(projects.id, id)).for('update')
}

type New = { name: string; description?: string | undefined; owner: Owner; now: Date }

export const insertProject = async (tx: Tx, { name, description = '', owner, now }: New): Promise<string> => {
  const row = { ...newRow(now), ...owner, name, description, settings: standardSettings }
  await tx.insert(projects).values(row)
  return row.id
}

type Changes = { name?: string | undefined; description?: string | undefined; settings: ProjectSettings }

export const updateProject = async (tx: Tx, id: string, changes: Changes, now: Date): Promise<void> => {
  await tx
    .update(projects)
    .set({ ...changes, ...rowUpdate(now) })
    .where(eq(projects.id, id))
}

/** Gives a project to another owner. Guests, open invites and roles of members in it end with the former one. */
export const changeOwner = async (tx: Tx, id: string, owner: Owner, now: Date): Promise<void> => {
  await tx.delete(projectRoles).where(eq(projectRoles.projectId, id))
  await tx.delete(projectGuests).where(eq(projectGuests.projectId, id))
  await tx
    .update(invites)
    .set({ state: 'revoked', ...rowUpdate(now) })
    .where(and(eq(invites.projectId, id), eq(invites.state, 'pending')))
  await tx
    .update(projects)
    .set({ organizationId: null, ownerId: null, ...owner, ...rowUpdate(now) })
    .where(eq(projects.id, id))
}

export const deleteProject = async (tx: Tx, id: string): Promise<void> => {
  await tx.delete(projects).where(eq(projects.id, id))
}
