import { useQuery } from '@tanstack/react-query'
import { useSelector } from '@xstate/react'
import { organizationsQuery } from '../api/queries/organizations'
import { selfQuery } from '../api/queries/self'
import type { Scope } from './scope'
import { useSystem } from './system'

/**
 * §4: the organization at hand, undefined while nobody knows. On a page of none, before any was entered, it is the one that
 * would be: the stored one, else the first, else none.
 */
export const useCurrentScope = (): Scope | undefined => {
  const { api, organization, remembered } = useSystem()
  const { data: user } = useQuery(selfQuery(api))
  const { data: organizations } = useQuery(organizationsQuery(api))
  const entered = useSelector(organization, (snapshot) =>
    snapshot.hasTag('settled') || snapshot.context.scope !== null ? snapshot.context.scope : undefined,
  )
  if (entered !== undefined) return entered
  if (!user || !organizations) return undefined
  const stored = remembered.read(user.id)
  if (stored === null || organizations.some((one) => one.public_id === stored)) return stored
  return organizations[0]?.public_id ?? null
}
