import { useMutation } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { removeMemberMutation } from '../../api/mutations/accounts/members'
import { leaveOrganizationMutation } from '../../api/mutations/accounts/organizations'
import type { Person } from '../../api/queries/accounts/members'
import { useLeaveOrganization } from '../../system/scope/leave-organization'
import { lazyPart } from '../../system/page/lazy'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { useMemberScope } from './member-scope'

const Confirm = lazyPart(() => import('./confirm').then((part) => part.Confirm))

/** Lets the user leave. For the last owner it explains why they cannot. */
export const Leave = ({ person, place }: { person: Person; place: string }) => {
  const { api } = useSystem()
  const scope = useMemberScope()
  const gone = useLeaveOrganization()
  const [asked, setAsked] = useState(false)
  const organizationId = 'organizationId' in scope ? scope.organizationId : undefined
  const leaving = useMutation(leaveOrganizationMutation(api))
  const ending = useMutation(removeMemberMutation(api, scope))
  if (organizationId === undefined && person.base_role === 'owner') return null
  const { isPending, error } = organizationId === undefined ? ending : leaving
  const confirm = async () => {
    if (organizationId === undefined) await ending.mutateAsync('self')
    else await leaving.mutateAsync(organizationId)
    await gone(organizationId)
  }
  return (
    <>
      <Button size="small" variant="ghost" onClick={() => setAsked(true)}>
        Leave
      </Button>
      {asked && (
        <Suspense>
          <Confirm
            title={`Leave ${place}?`}
            verb="Leave"
            busyLabel="Leaving..."
            busy={isPending}
            error={error}
            onConfirm={() => void confirm().catch(() => {})}
            onClose={() => setAsked(false)}
          >
            You lose access at once. To join again you need a new invite.
          </Confirm>
        </Suspense>
      )}
    </>
  )
}
