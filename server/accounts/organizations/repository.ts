import { and, asc, count, eq, ne, sql } from 'drizzle-orm'
import type { Plan } from '../../../contract/accounts/plans'
import { newRow, rowUpdate } from '../../core/database/row'
import type { Tx } from '../../core/database/tx'
import { notFound } from '../../core/http/refuse'
import { subscriptions } from '../schema/billing'
import { members, organizations } from '../schema/organizations'
import { projects } from '../schema/projects'

export type OrganizationRow = typeof organizations.$inferSelect
export type CountedOrganization = { organization: OrganizationRow; memberCount: number; projectCount: number }

const people = sql<number>`(select count(*)::int from ${members} m where m.organization_id = ${organizations.id})`

/** The organizations of a person by name, with their role. */
export const listOrganizations = (tx: Tx, userId: string) =>
  tx
    .select({ organization: organizations, role: members.baseRole, memberCount: people })
    .from(members)
    .innerJoin(organizations, eq(organizations.id, members.organizationId))
    .where(eq(members.userId, userId))
    .orderBy(asc(sql`lower(${organizations.name})`), asc(organizations.id))

const counted = async (tx: Tx, organization: OrganizationRow | undefined): Promise<CountedOrganization> => {
  if (!organization) return notFound()
  const { id } = organization
  const [inside] = await tx.select({ n: count() }).from(members).where(eq(members.organizationId, id))
  const [owned] = await tx.select({ n: count() }).from(projects).where(eq(projects.organizationId, id))
  return { organization, memberCount: inside?.n ?? 0, projectCount: owned?.n ?? 0 }
}

export const findOrganization = async (tx: Tx, id: string): Promise<OrganizationRow | undefined> => {
  const [row] = await tx.select().from(organizations).where(eq(organizations.id, id))
  return row
}

export const findOrganizationByPublicId = async (tx: Tx, publicId: string): Promise<OrganizationRow | undefined> => {
  const [row] = await tx.select().from(organizations).where(eq(organizations.publicId, publicId))
  return row
}

export const getOrganization = async (tx: Tx, id: string): Promise<CountedOrganization> => {
  const [row] = await tx.select().from(organizations).where(eq(organizations.id, id))
  return counted(tx, row)
}

/** For changes: those of one organization run one after another. */
export const lockOrganization = async (tx: Tx, id: string): Promise<CountedOrganization> => {
  const [row] = await tx.select().from(organizations).where(eq(organizations.id, id)).for('update')
  return counted(tx, row)
}

/** Locks an organization for a change of its plan, or of what is counted against it. */
export const lockPlan = async (tx: Tx, id: string): Promise<OrganizationRow | undefined> => {
  const [row] = await tx.select().from(organizations).where(eq(organizations.id, id)).for('no key update')
  return row
}

export const lockPlanByPublicId = async (tx: Tx, publicId: string): Promise<OrganizationRow | undefined> => {
  const [row] = await tx.select().from(organizations).where(eq(organizations.publicId, publicId)).for('no key update')
  return row
}

/** How many organizations a person has created. */
export const countCreated = async (tx: Tx, userId: string): Promise<number> => {
  const [created] = await tx.select({ n: count() }).from(organizations).where(eq(organizations.createdBy, userId))
  return created?.n ?? 0
}

/** Whether a project belongs to this organization. */
export const ownsProject = async (tx: Tx, id: string, projectId: string): Promise<boolean> => {
  const inside = and(eq(projects.id, projectId), eq(projects.organizationId, id))
  return (await tx.select().from(projects).where(inside)).length > 0
}

/** Whether somebody goes on paying for an organization: its subscription has not ended, and will not end by itself. */
export const hasRunningSubscription = async (tx: Tx, id: string): Promise<boolean> => {
  const own = eq(subscriptions.organizationId, id)
  const running = and(own, ne(subscriptions.state, 'canceled'), eq(subscriptions.cancelAtPeriodEnd, false))
  return (await tx.select({ id: subscriptions.id }).from(subscriptions).where(running).limit(1)).length > 0
}

type NewOrganization = Pick<OrganizationRow, 'publicId' | 'name' | 'description' | 'plan' | 'settings' | 'createdBy'>

export const insertOrganization = async (tx: Tx, organization: NewOrganization, now: Date): Promise<string> => {
  const row = { ...newRow(now), ...organization }
  await tx.insert(organizations).values(row)
  return row.id
}

type Changes = { [Field in 'name' | 'description' | 'settings' | 'imageUrl']?: OrganizationRow[Field] | undefined } & {
  plan?: Plan
}

export const updateOrganization = async (tx: Tx, id: string, changes: Changes, now: Date): Promise<void> => {
  await tx
    .update(organizations)
    .set({ ...changes, ...rowUpdate(now) })
    .where(eq(organizations.id, id))
}

export const deleteOrganization = async (tx: Tx, id: string): Promise<void> => {
  await tx.delete(organizations).where(eq(organizations.id, id))
}
