import { sql } from 'drizzle-orm'
import { countsOfProject } from '../fleet/devices/state/counts.repository'
import { members, organizations } from '../accounts/schema/organizations'
import { projects } from '../accounts/schema/projects'
import { sumOfFileBytes, sumOfUnheldBytes } from '../updates/uploads/repository'
import type { CountPlanUsage } from '../accounts/billing/billing-account'

/** How much of the plan is used, counted in the same way as for refusals. */
export const countPlanUsage: CountPlanUsage = async (tx, { kind, id }) => {
  const personal = kind === 'user'
  const mine = personal ? sql`p.owner_id = ${id}` : sql`p.organization_id = ${id}`
  const ofProjects = sql`(select p.id from ${projects} p where ${mine})`
  const { rows } = await tx.execute<{ projects: number; devices: number; storage: string }>(sql`
    select count(*)::int as projects,
      coalesce(max((select sum(d.n) from ${countsOfProject(sql`p.id`)} d)), 0)::int as devices,
      (${sumOfFileBytes(ofProjects)} + ${sumOfUnheldBytes(ofProjects)})::text as storage
    from ${projects} p where ${mine}`)
  const { rows: others } = await tx.execute<{ n: number }>(
    personal
      ? sql`select count(*)::int as n from ${organizations} o where o.created_by = ${id}`
      : sql`select count(*)::int as n from ${members} m where m.organization_id = ${id}`,
  )
  const [owned] = rows
  const n = others[0]?.n ?? 0
  return {
    organizations: personal ? n : null,
    projects: owned?.projects ?? 0,
    devices_per_project: owned?.devices ?? 0,
    members: personal ? null : n,
    storage_bytes: Number(owned?.storage ?? 0),
  }
}
