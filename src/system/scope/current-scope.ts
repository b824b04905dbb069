import { useQuery } from '@tanstack/react-query'
import { useSelector } from '@xstate/react'
import { organizationsQuery } from '../../api/queries/accounts/organizations'
import { selfQuery } from '../../api/queries/accounts/self'
import type { Scope } from './scope'
import { useSystem } from '../system'

/**
 * §4: the current organization, undefined while not known. On a page without one, before any was opened, the default: the
 * stored one, otherwise the first, otherwise none.
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
