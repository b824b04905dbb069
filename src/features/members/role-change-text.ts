import { missing, permissionWords } from '../../../contract/core/permissions'
import { projectRolePermissions } from '../../../contract/accounts/project-permissions'
import type { RoleChange } from '../../../contract/accounts/role-changes'
import { baseRoles, rolePermissions } from '../../../contract/core/roles'
import { pluralize } from '../../lib/pluralize'
import type { Role } from './member-scope'

const namedAtMost = 5
type Made = { name: string; project: { name: string } }

const namesOf = (made: readonly Made[]) => {
  const rest = made.length - namedAtMost
  const names = made.slice(0, namedAtMost).map(({ name, project }) => `${name} (${project.name})`)
  return [...names, ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
}

/** In an organization, or as guests of a personal project: some roles have one name in both. */
const permissionsOf = (role: Role, isGuest: boolean) => {
  const base = baseRoles.find((one) => one === role)
  if (!isGuest && base) return rolePermissions[base]
  return role === 'maintainer' || role === 'operator' || role === 'viewer' ? projectRolePermissions[role] : []
}

const wordsOf = (from: Role, to: Role, isGuest: boolean) =>
  missing(permissionsOf(to, isGuest), permissionsOf(from, isGuest)).map(permissionWords)

/** What stops and begins for a person who gets another role, from their next request. */
export const describeRights = (from: Role, to: Role, isGuest: boolean): string => {
  const [lost, won] = [wordsOf(from, to, isGuest), wordsOf(to, from, isGuest)]
  return [
    lost.length > 0 && `They can no longer: ${lost.join(', ')}.`,
    won.length > 0 && `They can then: ${won.join(', ')}.`,
    'It counts from their next request.',
  ]
    .filter((part) => part !== false)
    .join(' ')
}

/** What they have made stops with their role or membership, or goes on without them. */
export const describeMade = (
  { access_tokens: tokens, scheduled_rollouts: rollouts }: RoleChange,
  then: 'may do less' | 'stop working',
): string =>
  [
    tokens.length > 0 &&
      `${pluralize(tokens.length, 'access token')} of theirs ${then === 'may do less' ? 'may then do less' : tokens.length === 1 ? 'stops working' : 'stop working'}: ${namesOf(tokens)}.`,
    rollouts.length > 0 &&
      `${pluralize(rollouts.length, 'scheduled rollout')} of theirs ${rollouts.length === 1 ? 'waits' : 'wait'} at the start time until somebody who may starts ${rollouts.length === 1 ? 'it' : 'them'}: ${namesOf(rollouts)}.`,
  ]
    .filter((part) => part !== false)
    .join(' ')
