import { useQuery } from '@tanstack/react-query'
import { useSelector } from '@xstate/react'
import { allows, type Grants, missing, type Permission, permissionWords } from '../../../contract/core/permissions'
import { rolesWith } from '../../../contract/core/roles'
import { failureOf } from '../../api/failure'
import { permissionsQuery } from '../../api/queries/accounts/permissions'
import { useRouteScope } from './scope'
import { useSystem } from '../system'

const failed = 'failed'

const useGrantsOrFailure = (): Grants | undefined | typeof failed => {
  const { api, organization } = useSystem()
  const { scope, projectId } = useRouteScope()
  // The reload of the list failed: the earlier list no longer counts.
  const isLost = useSelector(organization, (snapshot) => snapshot.hasTag('failed'))
  const { data, error } = useQuery({
    ...permissionsQuery(api, scope ?? null, projectId ?? null),
    enabled: scope !== undefined,
  })
  if (isLost && scope !== null) return failed
  // Neither does it if the reload was refused: the member was removed, or the project deleted.
  if (error && (!data || [403, 404].includes(failureOf(error)?.status ?? 0))) return failed
  return data?.grants
}

/**
 * R7, three states: undefined while it loads, null for the owner of a personal space, otherwise the list. An error fails
 * closed.
 */
export const useGrants = (): Grants | undefined => {
  const grants = useGrantsOrFailure()
  return grants === failed ? [] : grants
}

/** While permissions load, controls that need one are hidden. */
export const useAllowed = (...needs: Permission[]): boolean => {
  const grants = useGrants()
  return needs.length === 0 || (grants !== undefined && allows(grants, needs))
}

/** Which permission is missing and which roles have it. `ask`: a press on the control asks for access. */
export const refusalOf = (lacking: readonly Permission[], ask = false): string | undefined => {
  const [first] = lacking
  if (first === undefined) return undefined
  const text = `Needs “${permissionWords(first)}”. Roles that have it: ${rolesWith(first).join(', ')}.`
  return ask ? `${text} Press to ask for access.` : text
}

/** The text for `<Button refused={…}>`; undefined if it is allowed. In an organization a press on the control asks for access. */
export const useRefusal = (...needs: Permission[]): string | undefined => {
  const grants = useGrantsOrFailure()
  const { scope } = useRouteScope()
  if (needs.length === 0) return undefined
  if (grants === failed) return 'Your permissions could not be loaded. Reload the page.'
  if (grants === undefined) return 'Permissions are loading'
  return refusalOf(missing(grants, needs), Boolean(scope))
}
