import { and, asc, eq, isNotNull, notExists, sql } from 'drizzle-orm'
import { alias, type PgColumn } from 'drizzle-orm/pg-core'
import { members } from '../../accounts/schema/organizations'
import { projects } from '../../accounts/schema/projects'
import type { Tx } from '../../core/database/tx'
import { deviceJobs } from '../schema/device-jobs'
import { deviceImports } from '../schema/devices'
import { keyLists } from '../schema/keys'
import { savedViews } from '../schema/saved-views'

const isBy = (column: PgColumn, userId: string) => sql`${column} ->> 'id' = ${userId}`
const named = (column: PgColumn, name: string) => sql`${column} || jsonb_build_object('name', ${name}::text)`

/** The views that a person has shared pass to the owner of the project, or to the owner of the organization who is longest there. */
const handOverViews = async (tx: Tx, userId: string): Promise<void> => {
  const owners = tx
    .select({ id: members.userId })
    .from(members)
    .where(
      and(
        eq(members.organizationId, projects.organizationId),
        eq(members.baseRole, 'owner'),
        sql`${members.userId} <> ${userId}`,
      ),
    )
    .orderBy(asc(members.joinedAt), asc(members.userId))
    .limit(1)
  const heir = sql<string>`(select coalesce(${projects.ownerId}, (${owners})) from ${projects} where ${projects.id} = ${savedViews.projectId})`
  const others = alias(savedViews, 'others')
  const same = and(
    eq(others.projectId, savedViews.projectId),
    sql`${others.ownerId} = ${heir}`,
    sql`lower(${others.name}) = lower(${savedViews.name})`,
  )
  const isFree = notExists(tx.select({ id: others.id }).from(others).where(same))
  await tx
    .update(savedViews)
    .set({ ownerId: heir })
    .where(and(eq(savedViews.ownerId, userId), savedViews.shared, isNotNull(heir), isFree))
}

/** Writes another name on the key lists, imports and jobs of a person, and hands over the views that others use. */
export const forgetAuthorInFleet = async (tx: Tx, userId: string, name: string): Promise<void> => {
  await tx
    .update(keyLists)
    .set({ createdBy: named(keyLists.createdBy, name) })
    .where(isBy(keyLists.createdBy, userId))
  await tx
    .update(deviceImports)
    .set({ createdBy: named(deviceImports.createdBy, name) })
    .where(isBy(deviceImports.createdBy, userId))
  const maker = sql`${deviceJobs.maker} || jsonb_build_object('name', ${name}::text, 'email', null, 'sourceIp', null, 'userAgent', null)`
  await tx.update(deviceJobs).set({ maker }).where(isBy(deviceJobs.maker, userId))
  await handOverViews(tx, userId)
}
