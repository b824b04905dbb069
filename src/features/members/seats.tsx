import { useQuery } from '@tanstack/react-query'
import { css } from 'styled-system/css'
import type { Seats } from '../../../contract/accounts/invites'
import { planLimits } from '../../../contract/accounts/plan-limits'
import { rolesWith } from '../../../contract/core/roles'
import { type MemberScope, seatsQuery } from '../../api/queries/accounts/members'
import { useGrants } from '../../system/scope/grants'
import { useSystem } from '../../system/system'
import { Callout } from '../../ui/layout/notice'
import { TextLink } from '../../ui/text/text-link'
import { freeSeats, seatsMissing, describeSeatLimit } from './seat-text'

/** The seats of the plan; undefined until loaded, and for users who may not see them. */
export const useSeats = (scope: MemberScope, allowed: boolean): Seats | undefined => {
  const { api } = useSystem()
  return useQuery({ ...seatsQuery(api, scope), enabled: allowed }).data
}

const inline = css({ display: 'inline-flex', alignItems: 'center', gap: '4' })

const payers = rolesWith('organization:manage_billing').join(', ')

/** How to get more seats. Opens a new tab, so that typed text stays. */
const More = ({ seats: { plan, invited }, scope }: { seats: Seats; scope: MemberScope }) => {
  const grants = useGrants()
  const personal = 'projectId' in scope
  const pays = personal || (Array.isArray(grants) && grants.includes('organization:manage_billing'))
  const limits = planLimits.production
  const more = personal ? limits.guests_per_project : limits.members
  const free = invited > 0 ? ' Revoking an open invite frees its seat.' : ''
  if (plan === 'production') return <>{free || ' Removing a member frees a seat.'}</>
  return (
    <>
      {`${free} The production plan has ${more}. `}
      {pays ? (
        <TextLink href="/account/settings/subscriptions" external className={inline}>
          Upgrade under Subscriptions
        </TextLink>
      ) : (
        `Roles that can upgrade under Subscriptions: ${payers}.`
      )}
    </>
  )
}

/** Shown before an invite is refused: there are no seats left, or fewer than addresses. */
export const SeatsCallout = ({ seats, scope, typed }: { seats: Seats; scope: MemberScope; typed: number }) => {
  const free = freeSeats(seats)
  if (free > 0 && typed <= free) return null
  return (
    <div role="status">
      <Callout kind="warning">
        {free === 0 ? describeSeatLimit(seats) : seatsMissing(seats, typed)}
        <More seats={seats} scope={scope} />
      </Callout>
    </div>
  )
}
