import { ulid } from 'ulid'
import { eq } from 'drizzle-orm'
import type { Plan } from '../../contract/accounts/plans'
import type { BaseRole, ProjectRole } from '../../contract/core/roles'
import { members, organizations } from '../../server/accounts/schema/organizations'
import { credentials, users } from '../../server/accounts/schema/people'
import { projectGuests } from '../../server/accounts/schema/projects'
import type { Deps } from '../../server/core/deps'
import { newRow } from '../../server/core/database/row'
import { createOrganization } from '../../server/accounts/organizations/create'
import { insertProject, type Owner } from '../../server/accounts/projects/repository'
import { insertSession } from '../../server/accounts/sessions/repository'

export type Person = { id: string; email: string; token: string; sessionId: string }

type Needs = Pick<Deps, 'db' | 'clock'> & { config: { limits: { sessionAbsoluteS: number } } }

/** Creates people, organizations and projects with the server's own repositories, without a form, and without a password unless its hash is given. */
export const people = ({ db, clock, config }: Needs) => {
  const session = async (userId: string) => {
    const { id, token } = await insertSession(db, {
      userId,
      signInId: null,
      now: clock(),
      absoluteS: config.limits.sessionAbsoluteS,
      ip: '127.0.0.1',
      userAgent: 'test',
    })
    return { sessionId: id, token }
  }

  type Facts = { email?: string; name?: string; plan?: Plan; passwordHash?: string }
  const person = async ({ passwordHash, ...facts }: Facts = {}): Promise<Person> => {
    const { email = `${ulid().toLowerCase()}@example.com`, name = 'Ines Quist', plan = 'production' } = facts
    const row = { ...newRow(clock()), email, fullName: name, pricingPlan: plan }
    await db.insert(users).values(row)
    if (passwordHash !== undefined) await db.insert(credentials).values({ userId: row.id, passwordHash, changedAt: clock() })
    return { id: row.id, email, ...(await session(row.id)) }
  }

  /** An organization of its owner; `id` is internal, `publicId` is used in the API. */
  const organization = async (owner: Person, name = 'Orchard', plan: Plan = 'production') => {
    const id = await createOrganization(db, { name, description: '', plan, createdBy: owner.id, now: clock() })
    const [row] = await db.select().from(organizations).where(eq(organizations.id, id))
    return { id, publicId: row?.publicId ?? '' }
  }

  const member = async (organizationId: string, baseRole: BaseRole): Promise<Person> => {
    const joining = await person({ name: `The ${baseRole}` })
    await db.insert(members).values({ organizationId, userId: joining.id, baseRole, joinedAt: clock() })
    return joining
  }

  const project = (owner: Owner, name = 'Gateways') => insertProject(db, { name, owner, now: clock() })

  const guest = async (projectId: string, role: ProjectRole): Promise<Person> => {
    const invited = await person({ name: `The ${role}` })
    await db.insert(projectGuests).values({ projectId, userId: invited.id, role, joinedAt: clock() })
    return invited
  }

  return { person, session, organization, member, project, guest }
}
