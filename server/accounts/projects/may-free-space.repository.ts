import { and, eq, inArray, sql } from 'drizzle-orm'
import type { BaseRole } from '../../../contract/core/roles'
import type { Tx } from '../../core/database/tx'
import { members } from '../schema/organizations'
import { projects } from '../schema/projects'

const rolesThatMayDelete: BaseRole[] = ['owner', 'admin', 'operator']

/** Whether the user could free disk space: by their role in an organization, or in a project of their own. */
export const mayFreeSpace = async (tx: Tx, userId: string): Promise<boolean> => {
  const roles = tx
    .select({ one: sql`1` })
    .from(members)
    .where(and(eq(members.userId, userId), inArray(members.baseRole, rolesThatMayDelete)))
  const own = tx
    .select({ one: sql`1` })
    .from(projects)
    .where(eq(projects.ownerId, userId))
  const { rows } = await tx.execute<{ found: boolean }>(sql`select exists ${roles} or exists ${own} as found`)
  return rows[0]?.found === true
}
