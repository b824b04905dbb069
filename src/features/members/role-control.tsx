import { useMutation, useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import { changeRoleMutation } from '../../api/mutations/members'
import { selfQuery } from '../../api/queries/self'
import type { Person } from '../../api/queries/members'
import { lazyPart } from '../../system/lazy'
import { notify } from '../../system/notify'
import { describeError } from '../../system/describe-error'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'
import { type Role, useGrantable, useMemberScope, useManageRefusal } from './member-scope'

// As wide as the select in the other rows.
const like = css({ justifyContent: 'space-between', w: { md: '120' } })
const RoleSelect = lazyPart(() => import('./role-select').then((part) => part.RoleSelect))
const Confirm = lazyPart(() => import('./confirm').then((part) => part.Confirm))
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

/** Changes a role in place. Users who may not see the reason. Making an owner requires a confirmation. */
export const RoleControl = ({ person }: { person: Person }) => {
  const { api } = useSystem()
  const scope = useMemberScope()
  const fixed = useFixed(person)
  const grantable = useGrantable()
  const [asked, setAsked] = useState(false)
  const name = nameOf(person)
  const change = useMutation({
    ...changeRoleMutation(api, scope),
    onSuccess: (_done, { role }) =>
      void notify({
        kind: 'success',
        text: `${name} is now ${role}`,
        ...(isByGroup(person) && { detail: 'A group of their company account sets the role again at their next sign-in.' }),
      }),
  })
  const give = (role: Role) =>
    change.mutate(
      { memberId: person.user.id, role },
      {
        onSuccess: () => setAsked(false),
        onError: (error) =>
          role !== 'owner' && void notify({ kind: 'error', text: describeError(error, 'The role was not changed') }),
      },
    )
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
          onChange={(role) => (role === 'owner' && person.base_role !== 'owner' ? setAsked(true) : give(role))}
        />
      </Suspense>
      {asked && (
        <Suspense>
          <Confirm
            title={`Make ${name} an owner?`}
            verb="Make owner"
            busyLabel="Changing..."
            danger={false}
            busy={change.isPending}
            error={change.error}
            onConfirm={() => give('owner')}
            onClose={() => setAsked(false)}
          >
            An owner can do everything here: delete the organization, manage its billing and change your role.
          </Confirm>
        </Suspense>
      )}
    </>
  )
}
