import { randomBytes } from 'node:crypto'
import { and, asc, count, eq, sql } from 'drizzle-orm'
import type { Infer } from 'superstruct'
import type { Organization, OrganizationSettings } from '../../../contract/organization'
import type { OrganizationSummary } from '../../../contract/organizations'
import { type Plan, planLimits } from '../../../contract/plans'
import type { BaseRole } from '../../../contract/roles'
import { members, organizations } from '../schema/organizations'
import { projects } from '../schema/projects'
import type { Tx } from '../../core/database/tx'
import { newRow } from '../../core/database/row'
import { notFound } from '../../core/http/refuse'
import { formatTimestamp } from '../../core/timestamps'

type Settings = Infer<typeof OrganizationSettings>

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'
/** `org_` + 60 random bits: it is part of URLs, so it must not be guessable. */
const createPublicId = () => `org_${Array.from(randomBytes(12), (byte) => alphabet[byte % 32]).join('')}`

const standardSettings = (plan: Plan): Settings => ({
  require_mfa: false,
  session_idle_s: 43_200,
  default_role: 'developer',
  require_release_approval: false,
  audit_retention_days: planLimits[plan].audit_days,
})

const people = sql<number>`(select count(*)::int from ${members} m where m.organization_id = ${organizations.id})`

export const organizationsOf = async (tx: Tx, userId: string): Promise<OrganizationSummary[]> => {
  const rows = await tx
    .select({ organization: organizations, role: members.baseRole, people })
    .from(members)
    .innerJoin(organizations, eq(organizations.id, members.organizationId))
    .where(eq(members.userId, userId))
    .orderBy(asc(sql`lower(${organizations.name})`), asc(organizations.id))
  return rows.map(({ organization: { publicId, name, plan, imageUrl }, role, people }) => ({
    public_id: publicId,
    name,
    base_role: role,
    plan,
    image_url: imageUrl,
    member_count: people,
  }))
}

/** One organization as its member sees it. `lock` for changes: those of one organization run one after another. */
export const organizationFor = async (tx: Tx, id: string, role: BaseRole, lock = false): Promise<Organization> => {
  const query = tx.select().from(organizations).where(eq(organizations.id, id))
  const [row] = await (lock ? query.for('update') : query)
  if (!row) return notFound()
  const [people] = await tx.select({ n: count() }).from(members).where(eq(members.organizationId, id))
  const [owned] = await tx.select({ n: count() }).from(projects).where(eq(projects.organizationId, id))
  return {
    public_id: row.publicId,
    name: row.name,
    description: row.description,
    image_url: row.imageUrl,
    plan: row.plan,
    base_role: role,
    member_count: people?.n ?? 0,
    project_count: owned?.n ?? 0,
    settings: row.settings,
    created_at: formatTimestamp(row.createdAt),
    updated_at: formatTimestamp(row.updatedAt),
    revision: row.revision,
  }
}

type New = { name: string; description: string; plan: Plan; maker: string; now: Date }

export const insertOrganization = async (tx: Tx, { name, description, plan, maker, now }: New): Promise<string> => {
  const row = {
    ...newRow(now),
    publicId: createPublicId(),
    name,
    description,
    plan,
    settings: standardSettings(plan),
    createdBy: maker,
  }
  await tx.insert(organizations).values(row)
  await tx.insert(members).values({ organizationId: row.id, userId: maker, baseRole: 'owner', joinedAt: now })
  return row.id
}

export const countMade = async (tx: Tx, userId: string): Promise<number> => {
  const [made] = await tx.select({ n: count() }).from(organizations).where(eq(organizations.createdBy, userId))
  return made?.n ?? 0
}

export const countOwners = async (tx: Tx, organizationId: string): Promise<number> => {
  const owners = and(eq(members.organizationId, organizationId), eq(members.baseRole, 'owner'))
  const [counted] = await tx.select({ n: count() }).from(members).where(owners)
  return counted?.n ?? 0
}
