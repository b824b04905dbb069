import { and, count, eq, gt, inArray, type SQL } from 'drizzle-orm'
import type { Seats } from '../../../contract/invites'
import { type Plan, planLimits } from '../../../contract/plans'
import { invites } from '../schema/invites'
import { members, organizations } from '../schema/organizations'
import { users } from '../schema/people'
import { projectGuests, projects } from '../schema/projects'
import type { Tx } from '../../core/database/tx'
import { refuse } from '../../core/http/refuse'
import type { Call } from '../../core/http/call'
import type { Endpoint } from '../../../contract/endpoint'

/** What an invite leads to: an organization, or a personal project. */
export type InviteTarget = { kind: 'organization' | 'project'; id: string; name: string; plan: Plan }

export const organizationTarget = ({ organization: { id, name, plan } }: Call<Endpoint>): InviteTarget => ({
  kind: 'organization',
  id,
  name,
  plan,
})

/** R6: the members of an organization are those of its projects. */
export const projectTarget = ({ project: { id, name, plan, organizationId } }: Call<Endpoint>): InviteTarget => {
  if (organizationId !== null)
    refuse(409, 'organization_owned', { message: 'The members of the organization are the members of this project' })
  return { kind: 'project', id, name, plan }
}

export const columnOf = ({ kind }: Pick<InviteTarget, 'kind'>) =>
  kind === 'organization' ? invites.organizationId : invites.projectId

export const inTarget = (home: InviteTarget): SQL => eq(columnOf(home), home.id)

/** Locks the target, so that changes of its invites and members run one after another. */
export const lockTarget = async (tx: Tx, { kind, id }: Pick<InviteTarget, 'kind' | 'id'>): Promise<void> => {
  const table = kind === 'organization' ? organizations : projects
  await tx.select({ id: table.id }).from(table).where(eq(table.id, id)).for('update')
}

/** Which of these addresses are members or guests already. */
export const knownOf = async (tx: Tx, { kind, id }: InviteTarget, emails: readonly string[]): Promise<Set<string>> => {
  const named = inArray(users.email, [...emails])
  const email = { email: users.email }
  const inside = (where: SQL) => and(named, where)
  const rows =
    kind === 'organization'
      ? await tx
          .select(email)
          .from(members)
          .innerJoin(users, eq(users.id, members.userId))
          .where(inside(eq(members.organizationId, id)))
      : [
          ...(await tx
            .select(email)
            .from(projectGuests)
            .innerJoin(users, eq(users.id, projectGuests.userId))
            .where(inside(eq(projectGuests.projectId, id)))),
          ...(await tx
            .select(email)
            .from(projects)
            .innerJoin(users, eq(users.id, projects.ownerId))
            .where(inside(eq(projects.id, id)))),
        ]
  return new Set(rows.map((row) => row.email))
}

/** How many seats the plan has and how many are used; open invites count. */
export const countSeats = async (tx: Tx, home: InviteTarget, now: Date): Promise<Seats> => {
  const { kind, id, plan } = home
  const [taken] =
    kind === 'organization'
      ? await tx.select({ n: count() }).from(members).where(eq(members.organizationId, id))
      : await tx.select({ n: count() }).from(projectGuests).where(eq(projectGuests.projectId, id))
  const out = and(inTarget(home), eq(invites.state, 'pending'), gt(invites.expiresAt, now))
  const [held] = await tx.select({ n: count() }).from(invites).where(out)
  const limit = planLimits[plan][kind === 'organization' ? 'members' : 'guests_per_project']
  return { plan, limit, taken: taken?.n ?? 0, invited: held?.n ?? 0 }
}
