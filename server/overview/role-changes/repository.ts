import { and, asc, eq, gt, isNull, or, sql } from 'drizzle-orm'
import type { ProjectRole } from '../../../contract/core/roles'
import { accessTokens } from '../../accounts/schema/access-tokens'
import { projectRoles, projects } from '../../accounts/schema/projects'
import type { Tx } from '../../core/database/tx'
import { rollouts } from '../../updates/schema/rollouts'

type Asked = { organizationId: string; userId: string }
/** What a person made in a project of their organization, with their own role there. */
export type Made = { id: string; name: string; projectId: string; projectName: string; own: ProjectRole | null }

const place = { projectId: projects.id, projectName: projects.name, own: projectRoles.role }
const ownRole = (userId: string) => and(eq(projectRoles.projectId, projects.id), eq(projectRoles.userId, userId))

/** The access tokens of a member that work now, at most so many. */
export const listWorkingTokens = (tx: Tx, { organizationId, userId }: Asked, now: Date, most: number) =>
  tx
    .select({ id: accessTokens.id, name: accessTokens.name, permissions: accessTokens.permissions, ...place })
    .from(accessTokens)
    .innerJoin(projects, eq(projects.id, accessTokens.projectId))
    .leftJoin(projectRoles, ownRole(userId))
    .where(
      and(
        eq(accessTokens.makerId, userId),
        eq(projects.organizationId, organizationId),
        isNull(accessTokens.revokedAt),
        or(isNull(accessTokens.expiresAt), gt(accessTokens.expiresAt, now)),
      ),
    )
    .orderBy(asc(projects.name), asc(accessTokens.name), asc(accessTokens.id))
    .limit(most)

/** The rollouts that a member has created and that start by themselves at their time, at most so many. */
export const listScheduledRollouts = (tx: Tx, { organizationId, userId }: Asked, most: number): Promise<Made[]> =>
  tx
    .select({ id: rollouts.id, name: rollouts.name, ...place })
    .from(rollouts)
    .innerJoin(projects, eq(projects.id, rollouts.projectId))
    .leftJoin(projectRoles, ownRole(userId))
    .where(
      and(
        eq(projects.organizationId, organizationId),
        // A literal, so that the partial index of the phases that move by themselves is used.
        sql`${rollouts.phase} = 'scheduled'`,
        sql`${rollouts.createdBy} ->> 'id' = ${userId}`,
      ),
    )
    .orderBy(asc(projects.name), asc(rollouts.name), asc(rollouts.id))
    .limit(most)
