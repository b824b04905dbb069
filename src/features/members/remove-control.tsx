import { useMutation, useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { removeMemberMutation } from '../../api/mutations/accounts/members'
import { type Person, roleChangeQuery } from '../../api/queries/accounts/members'
import { selfQuery } from '../../api/queries/accounts/self'
import { lazyPart } from '../../system/page/lazy'
import { notify } from '../../system/failure/notify'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { useGrantable, useMemberScope, useManageRefusal } from './member-scope'
import { Leave } from './leave'
import { describeMade } from './role-change-text'
import { isByGroup, nameOf } from './role-control'

const Confirm = lazyPart(() => import('./confirm').then((part) => part.Confirm))

type Props = {
  person: Person
  place: string
  /** Where to navigate afterwards, in the head of a page. */
  onRemoved?: () => void
}

/** Removes another person; the user themselves leaves instead. `place` is the displayed name. */
export const RemoveControl = ({ person, place, onRemoved }: Props) => {
  const { api } = useSystem()
  const { invalidate } = useRouter()
  const scope = useMemberScope()
  const refused = useManageRefusal()
  const grantable = useGrantable()
  const { data: self } = useQuery(selfQuery(api))
  const [asked, setAsked] = useState(false)
  const remove = useMutation(removeMemberMutation(api, scope))
  const name = nameOf(person)
  const organizationId = 'organizationId' in scope ? scope.organizationId : ''
  const made = useQuery({
    ...roleChangeQuery(api, organizationId, person.user.id, undefined),
    enabled: asked && organizationId !== '',
  })
  if (self?.id === person.user.id) return <Leave person={person} place={place} />
  if ('projectId' in scope && person.base_role === 'owner') return null
  const why = refused ?? (grantable.includes(person.base_role) ? undefined : 'This role has more permissions than yours.')
  const confirm = async () => {
    await remove.mutateAsync(person.user.id)
    setAsked(false)
    void notify({ kind: 'success', text: `${name} was removed` })
    if (onRemoved) onRemoved()
    else void invalidate()
  }
  return (
    <>
      <Button
        size={onRemoved ? 'md' : 'small'}
        variant={onRemoved ? 'dangerOutline' : 'ghost'}
        aria-label={`Remove ${name}`}
        {...(why !== undefined && { refused: why })}
        onClick={() => setAsked(true)}
      >
        Remove
      </Button>
      {asked && (
        <Suspense>
          <Confirm
            title={`Remove ${name} from ${place}?`}
            verb="Remove"
            busyLabel="Removing..."
            busy={remove.isPending || made.isLoading}
            error={remove.error}
            onConfirm={() => void confirm().catch(() => {})}
            onClose={() => setAsked(false)}
          >
            {`They lose access at once. What they created stays. ${isByGroup(person) ? 'A group of their company account lets them join again at their next sign-in.' : 'They can be invited again.'} ${made.data ? describeMade(made.data, 'stop working') : ''}`.trim()}
          </Confirm>
        </Suspense>
      )}
    </>
  )
}
