import type { FastifyRequest } from 'fastify'
import type { AuditAction } from '../../../contract/core/audit-actions'
import { planLimits } from '../../../contract/accounts/plan-limits'
import { type BaseRole, baseRoles } from '../../../contract/core/roles'
import { append } from '../../core/audit/chain'
import type { Tx } from '../../core/database/tx'
import type { IdentityProvider } from '../../core/identity-provider'
import { findOrganizationByPublicId, type OrganizationRow } from '../organizations/repository'
import type { UserRow } from '../users/repository'
import {
  countMembers,
  countOwners,
  deleteMember,
  findMembership,
  insertMember,
  lockMembers,
  type MembershipRow,
  updateGroupRole,
} from '../members/repository'

type Settings = Pick<IdentityProvider, 'name' | 'groupRoles'>
type Facts = { request: FastifyRequest; settings: Settings; user: UserRow; identityId: string; now: Date }
type Change = { action: AuditAction; from: BaseRole | null; to: BaseRole | null; result?: 'failure'; reason?: string }

/** The role that groups give in each organization that the settings name; undefined without one. Of several the one with most rights. */
export const listGroupRoles = (
  groupRoles: Settings['groupRoles'],
  groups: readonly string[],
): readonly { organization: string; role: BaseRole | undefined }[] => {
  const held = Object.entries(groupRoles).filter(([group]) => groups.includes(group))
  // In one order, so that two sign-ins that lock several organizations cannot deadlock.
  return [...new Set(Object.values(groupRoles).map(({ organization }) => organization))].toSorted().map((organization) => ({
    organization,
    role: baseRoles.find((role) => held.some(([, given]) => given.organization === organization && given.role === role)),
  }))
}

const record = (tx: Tx, { request, settings, user, identityId, now }: Facts, organizationId: string, change: Change) =>
  append(tx, {
    chainId: organizationId,
    occurredAt: now,
    action: change.action,
    result: change.result ?? 'success',
    actor: { kind: 'system', id: null, name: `groups of ${settings.name}`, email: null },
    credential: { kind: 'identity', id: identityId },
    sourceIp: request.ip,
    userAgent: request.headers['user-agent']?.slice(0, 256) ?? null,
    requestId: request.id,
    projectId: null,
    target: { kind: 'member', id: user.id, name: user.fullName || user.email },
    changes: [{ field: 'base_role', before: change.from, after: change.to }],
    reason: change.reason ?? null,
  })

const join = async (tx: Tx, { user, now }: Facts, { id, plan }: OrganizationRow, role: BaseRole): Promise<Change> => {
  const change = { action: 'member.join', from: null, to: role } as const
  if ((await countMembers(tx, id)) >= planLimits[plan].members) return { ...change, result: 'failure', reason: 'plan_limit' }
  await insertMember(tx, { organizationId: id, userId: user.id, baseRole: role, joinedAt: now, byGroup: true })
  return change
}

const change = async (
  tx: Tx,
  { baseRole, organizationId, userId }: MembershipRow,
  role: BaseRole | undefined,
): Promise<Change> => {
  const wanted: Change = { action: role ? 'member.role_change' : 'member.remove', from: baseRole, to: role ?? null }
  if (baseRole === 'owner' && (await countOwners(tx, organizationId)) === 1)
    return { ...wanted, result: 'failure', reason: 'last_owner' }
  if (role) await updateGroupRole(tx, organizationId, userId, role)
  else await deleteMember(tx, organizationId, userId)
  return wanted
}

/**
 * Gives a person the roles of their groups at the identity provider. A group's role replaces the one that a person gave; a
 * membership that no group gave stays if no group names it. The last owner stays owner (T-07). Answers with the organizations
 * that do not exist.
 */
export const applyGroups = async (tx: Tx, facts: Facts, groups: readonly string[]): Promise<string[]> => {
  const missing: string[] = []
  const changes = new Map<string, Change>()
  for (const { organization: publicId, role } of listGroupRoles(facts.settings.groupRoles, groups)) {
    const organization = await findOrganizationByPublicId(tx, publicId)
    if (!organization) {
      missing.push(publicId)
      continue
    }
    await lockMembers(tx, organization.id)
    const member = await findMembership(tx, organization.id, facts.user.id)
    if (!member) {
      if (role) changes.set(organization.id, await join(tx, facts, organization, role))
    } else if (role ? member.baseRole !== role : member.byGroup) changes.set(organization.id, await change(tx, member, role))
  }
  // Logs are locked after all organizations and in the order of their ids, as by everyone else.
  const inOrder = [...changes].toSorted(([one], [other]) => (one < other ? -1 : 1))
  for (const [organizationId, done] of inOrder) await record(tx, facts, organizationId, done)
  return missing
}
