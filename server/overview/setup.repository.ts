import { sql } from 'drizzle-orm'
import type { Setup } from '../../contract/overview/monitor'
import { allows, type Grants } from '../../contract/core/permissions'
import { rolloutMoves } from '../../machines/rollout/rollout.machine'
import { invites } from '../accounts/schema/invites'
import { members } from '../accounts/schema/organizations'
import { projectGuests } from '../accounts/schema/projects'
import type { Tx } from '../core/database/tx'
import { textList } from '../core/database/text-list'
import { signingKeys } from '../fleet/schema/keys'
import { releaseSignatures, releases } from '../updates/schema/releases'
import { rollouts } from '../updates/schema/rollouts'

const notOpen = textList(['draft', ...rolloutMoves.withTag('ended')])

type Row = {
  key: boolean
  added: boolean
  signed: boolean
  open: boolean
  completed: boolean
  several: boolean
  invited: boolean
}

type Asked = { tx: Tx; project: { id: string; organizationId: string | null }; grants: Grants; now: Date }

/** What of the setup is done, in one statement. Open invites count for those who may invite. */
export const readSetup = async ({ tx, project: { id, organizationId }, grants, now }: Asked): Promise<Setup> => {
  const seesInvites = allows(grants, [organizationId === null ? 'project:manage_members' : 'organization:manage_members'])
  const people =
    organizationId === null
      ? sql`exists (select 1 from ${projectGuests} g where g.project_id = ${id})`
      : sql`(select count(*) > 1 from (select 1 from ${members} m where m.organization_id = ${organizationId} limit 2) two)`
  const inviting = organizationId === null ? sql`i.project_id = ${id}` : sql`i.organization_id = ${organizationId}`
  const { rows } = await tx.execute<Row>(sql`
    select
      exists (select 1 from ${signingKeys} k
        where k.project_id = ${id} and k.state in ('active', 'retiring') and k.purpose <> 'secure_boot') as key,
      exists (select 1 from ${releases} r where r.project_id = ${id}) as added,
      exists (select 1 from ${releases} r join ${releaseSignatures} s on s.release_id = r.id where r.project_id = ${id}) as signed,
      exists (select 1 from ${rollouts} x where x.project_id = ${id} and x.phase not in ${notOpen}) as open,
      exists (select 1 from ${rollouts} x where x.project_id = ${id} and x.phase = 'completed') as completed,
      ${people} as several,
      exists (select 1 from ${invites} i where ${inviting} and i.state = 'pending' and i.expires_at > ${now}) as invited`)
  const [facts] = rows
  if (!facts) throw new Error('A select of single values has one row')
  return {
    key: facts.key,
    release: facts.signed ? 'signed' : facts.added ? 'added' : 'none',
    rollout: facts.completed ? 'completed' : facts.open ? 'open' : 'none',
    people: facts.several ? 'several' : facts.invited && seesInvites ? 'invited' : 'one',
  }
}
