import type { Needs, ScopeSource as Where } from '../../contract/core/endpoint'
import { allows, type Grants, type Permission } from '../../contract/core/permissions'
import { projectRolePermissions } from '../../contract/accounts/project-permissions'
import { rolePermissions } from '../../contract/core/roles'
import type { Actor, Scope } from './world'

/** `in`: the guard admits the call. */
export type ExpectedStatus = 'in' | 401 | 403 | 404

const rolesIn = ({ role }: Actor): Grants => (role ? rolePermissions[role] : [])

const inPlace = (where: Where, actor: Actor, scope: Scope, needs: readonly Permission[]): ExpectedStatus => {
  const isOrganization = where.from === 'path' && where.param === 'organizationId'
  if (actor.kind === 'outsider') return 404
  if (actor.kind === 'guest') {
    if (isOrganization || scope !== 'own personal') return 404
    return allows(actor.guest ? projectRolePermissions[actor.guest] : [], needs) ? 'in' : 403
  }
  if (scope === 'own personal') return isOrganization ? 404 : 'in'
  if (scope !== 'own organization' && scope !== 'other project of it') return 404
  const isReplaced = scope === 'own organization' && !isOrganization && actor.role !== 'owner' && actor.role !== 'admin'
  const grants: Grants = isReplaced && actor.inProject ? projectRolePermissions[actor.inProject] : rolesIn(actor)
  return allows(grants, needs) ? 'in' : 403
}

/** What only people may do, with any permissions: members, invites, keys, tokens, webhooks, and the end of a project. */
const ofPeople = new Set([
  'access.createAuthority',
  'access.createEnrollmentToken',
  'access.revokeEnrollmentToken',
  'accessTokens.createAccessToken',
  'accessTokens.rotateAccessToken',
  'accessTokens.revokeAccessToken',
  'clientConfigs.createClientConfig',
  'configs.createDeviceConfig',
  'deviceLifecycle.issueDeviceToken',
  'guests.projectMember',
  'guests.projectMembers',
  'guests.updateProjectMember',
  'invites.createProjectInvites',
  'invites.projectInvites',
  'invites.resendProjectInvite',
  'invites.revokeProjectInvite',
  'keyLists.publishKeyList',
  'keys.createSigningKey',
  'keys.keepSigningKey',
  'keys.replaceSigningKey',
  'keys.retireSigningKey',
  'keys.revokeSigningKey',
  'projectChanges.deleteProject',
  'projectChanges.transferProject',
  'webhooks.createWebhook',
  'webhooks.deleteWebhook',
  'webhooks.disableWebhook',
  'webhooks.enableWebhook',
  'webhooks.resendDelivery',
  'webhooks.rotateWebhookSecret',
  'webhooks.testWebhook',
  'webhooks.updateWebhook',
  'savedViews.createSavedView',
  'savedViews.savedViews',
])

const withToken = (name: string, needs: Needs, actor: Actor, scope: Scope): ExpectedStatus => {
  const { permissions = [], scope: own, ended } = actor.accessToken ?? {}
  if (ended) return 401
  if (needs.kind === 'access_token') return 'in'
  // The uploads of a session belong to another person.
  if (name.startsWith('uploads.')) return needs.kind === 'session' ? 'in' : 404
  const isInProject = 'scope' in needs && (needs.scope.from === 'object' || needs.scope.param === 'projectId')
  if (needs.kind !== 'permission' || !isInProject || ofPeople.has(name)) return 403
  if (scope !== own) return 404
  const held = actor.role ? rolePermissions[actor.role] : []
  return needs.all.every((permission) => permissions.includes(permission) && held.includes(permission)) ? 'in' : 403
}

/**
 * The expected result of the contract's `needs` for a caller and a scope: the permission matrix, written a second time,
 * independently.
 */
export const expectedStatus = (name: string, needs: Needs, actor: Actor, scope: Scope): ExpectedStatus => {
  if (needs.kind === 'public') return 'in'
  // The matrix of DDI has actors of its own.
  if (needs.kind === 'controller') return 401
  if (needs.kind === 'device' || needs.kind === 'enrollment') return actor.kind === needs.kind ? 'in' : 401
  if (actor.kind === 'access_token') return withToken(name, needs, actor, scope)
  if (needs.kind === 'access_token' || !['member', 'guest', 'outsider'].includes(actor.kind)) return 401
  if (needs.kind === 'session') return 'in'
  if (needs.kind === 'permission') return inPlace(needs.scope, actor, scope, needs.all)
  // A person's own object: in the own space all objects are theirs; elsewhere it is someone else's.
  if (scope === 'own personal' && actor.kind !== 'outsider') return inPlace(needs.scope, actor, scope, needs.and ?? [])
  const there = inPlace(needs.scope, actor, scope, needs.or ?? [])
  return needs.or === undefined ? 404 : there
}
