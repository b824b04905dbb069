import { useMutation, useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import { baseRoles } from '../../../contract/core/roles'
import { changeRoleMutation } from '../../api/mutations/accounts/members'
import { selfQuery } from '../../api/queries/accounts/self'
import { type Person, roleChangeQuery } from '../../api/queries/accounts/members'
import { lazyPart } from '../../system/page/lazy'
import { notify } from '../../system/failure/notify'
import { describeError } from '../../system/failure/describe-error'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon/icon'
import { describeMade, describeRights } from './role-change-text'
import { type Role, useGrantable, useMemberScope, useManageRefusal } from './member-scope'

// As wide as the select in the other rows.
const like = css({ justifyContent: 'space-between', w: { md: '120' } })
const RoleSelect = lazyPart(() => import('./role-select').then((part) => part.RoleSelect))
const Confirm = lazyPart(() => import('./confirm').then((part) => part.Confirm))
type RoleChanging = { isPending: boolean; error: unknown }
/** Whether a group of the identity provider gave the role. */
export const isByGroup = (person: Person): boolean => 'by_group' in person && person.by_group
export const nameOf = ({ user }: Pick<Person, 'user'>) => user.name || user.email

/**
 * Why the role of this person cannot be changed here; undefined if it can. Nobody changes their own role, or grants or removes
 * more rights than they have.
 */
export const useFixed = ({ user, base_role: role }: Person): string | undefined => {
  const { api } = useSystem()
  const scope = useMemberScope()
  const refused = useManageRefusal()
  const grantable = useGrantable()
  const { data: self } = useQuery(selfQuery(api))
  if (refused !== undefined) return refused
  if (self?.id === user.id) return 'You cannot change your own role.'
  if (grantable.includes(role)) return undefined
  return 'projectId' in scope ? 'The owner of a personal project stays its owner.' : 'This role has more permissions than yours.'
}

type Asking = { person: Person; role: Role; change: RoleChanging; onConfirm: () => void; onClose: () => void }

/** Asks before a role is given, and names what stops with it for this person. */
const RoleQuestion = ({ person, role, change, onConfirm, onClose }: Asking) => {
  const { api } = useSystem()
  const scope = useMemberScope()
  const name = nameOf(person)
  const isGuest = 'projectId' in scope
  const base = baseRoles.find((one) => one === role)
  const organizationId = 'organizationId' in scope ? scope.organizationId : ''
  const made = useQuery({ ...roleChangeQuery(api, organizationId, person.user.id, base), enabled: !isGuest })
  const stops = made.data
    ? describeMade(made.data, 'may do less')
    : made.isError
      ? 'Their access tokens and rollouts could not be checked.'
      : ''
  const rights =
    role === 'owner'
      ? 'An owner can do everything here: delete the organization, manage its billing and change your role.'
      : describeRights(person.base_role, role, isGuest)
  return (
    <Confirm
      title={role === 'owner' ? `Make ${name} an owner?` : `Give ${name} the role ${role}?`}
      verb={role === 'owner' ? 'Make owner' : 'Change role'}
      busyLabel={change.isPending ? 'Changing...' : 'Checking...'}
      danger={false}
      busy={change.isPending || made.isLoading}
      error={change.error}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {`${rights} ${stops}`.trim()}
    </Confirm>
  )
}

/** Changes a role after a question. Users who may not see the reason. */
export const RoleControl = ({ person }: { person: Person }) => {
  const { api } = useSystem()
  const scope = useMemberScope()
  const fixed = useFixed(person)
  const grantable = useGrantable()
  const [asked, setAsked] = useState<Role>()
  const name = nameOf(person)
  const change = useMutation(changeRoleMutation(api, scope))
  const give = async (role: Role, former: Role) => {
    await change.mutateAsync({ memberId: person.user.id, role, expected: former })
    setAsked(undefined)
    void notify({
      kind: 'success',
      text: `${name} is now ${role}`,
      ...(isByGroup(person) && { detail: 'A group of their company account sets the role again at their next sign-in.' }),
      action: {
        label: 'Undo',
        onClick: () =>
          void give(former, role).catch(
            (error: unknown) => void notify({ kind: 'error', text: describeError(error, 'The role was not changed back') }),
          ),
      },
    })
  }
  if (fixed !== undefined)
    return (
      <Button size="small" className={like} refused={fixed} aria-label={`Role of ${name}: ${person.base_role}`}>
        {person.base_role}
        <Icon name="down" size={14} />
      </Button>
    )
  return (
    <>
      <Suspense
        fallback={
          <Button size="small" className={like} disabled>
            {person.base_role}
            <Icon name="down" size={14} />
          </Button>
        }
      >
        <RoleSelect
          label={`Role of ${name}`}
          roles={grantable}
          value={change.isPending ? change.variables.role : person.base_role}
          disabled={change.isPending}
          onChange={(role) => role !== person.base_role && setAsked(role)}
        />
      </Suspense>
      {asked !== undefined && (
        <Suspense>
          <RoleQuestion
            person={person}
            role={asked}
            change={change}
            // The question shows the error.
            onConfirm={() => void give(asked, person.base_role).catch(() => {})}
            onClose={() => setAsked(undefined)}
          />
        </Suspense>
      )}
    </>
  )
}
