import { randomBytes } from 'node:crypto'
import type { Infer } from 'superstruct'
import type { OrganizationSettings } from '../../../contract/accounts/organization'
import { type Plan } from '../../../contract/accounts/plans'
import { planLimits } from '../../../contract/accounts/plan-limits'
import type { Tx } from '../../core/database/tx'
import { insertMember } from '../members/repository'
import { insertOrganization } from './repository'

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'
/** `org_` + 60 random bits: it is part of URLs, so it must not be guessable. */
const createPublicId = () => `org_${Array.from(randomBytes(12), (byte) => alphabet[byte % 32]).join('')}`

const standardSettings = (plan: Plan): Infer<typeof OrganizationSettings> => ({
  require_mfa: false,
  session_idle_s: 43_200,
  default_role: 'developer',
  require_release_approval: false,
  audit_retention_days: planLimits[plan].audit_days,
})

type New = { name: string; description: string; plan: Plan; createdBy: string; now: Date }

/** Creates an organization with its creator as the owner; its id. */
export const createOrganization = async (tx: Tx, { now, ...facts }: New): Promise<string> => {
  const { plan, createdBy } = facts
  const organization = { ...facts, publicId: createPublicId(), settings: standardSettings(plan) }
  const organizationId = await insertOrganization(tx, organization, now)
  await insertMember(tx, { organizationId, userId: createdBy, baseRole: 'owner', joinedAt: now })
  return organizationId
}
