import { useQuery } from '@tanstack/react-query'
import { useParams, useRouter } from '@tanstack/react-router'
import { allows, type Grants } from '../../../../contract/core/permissions'
import { permissionsQuery } from '../../../api/queries/accounts/permissions'
import { useGrants } from '../../../system/scope/grants'
import { useRouteScope } from '../../../system/scope/scope'
import { useSystem } from '../../../system/system'
import { Icon, type IconName } from '../../../ui/icon/icon'
import { useNavItems } from '../nav-items'
import type { Item } from './items'

/** In the order of the menus; the first that a path contains counts. */
const kinds: readonly [string, IconName][] = [
  ['/add', 'plus'],
  ['/monitor', 'monitor'],
  ['/releases', 'release'],
  ['/secure-boot', 'shield'],
  ['device-config-generator', 'doc'],
  ['/devices', 'chip'],
  ['/tags', 'tag'],
  ['/auditLog', 'log'],
  ['/audit-log', 'log'],
  ['/account/settings/organizations', 'org'],
  ['/account', 'user'],
  ['/settings', 'sliders'],
  ['/access', 'key'],
  ['/members', 'user'],
  ['/projects', 'arrow'],
  ['/download-binaries', 'dl'],
]
const order = [
  'plus',
  'monitor',
  'release',
  'shield',
  'chip',
  'doc',
  'tag',
  'log',
  'sliders',
  'key',
  'user',
  'arrow',
  'org',
  'dl',
]
const iconOf = (to: string): IconName => kinds.find(([part]) => to.includes(part))?.[1] ?? 'right'
const rank = (to: string) => Number(to.startsWith('/account')) * order.length + order.indexOf(iconOf(to))
const parameters = /\$(\w+)/g

/** Every reachable page that the user may open. Name and permissions come from the routes. */
export const usePages = (): Item[] => {
  const { api } = useSystem()
  const router = useRouter()
  const params: Record<string, string | undefined> = useParams({ strict: false })
  const { scope } = useRouteScope()
  const here = useGrants()
  const { data: outside } = useQuery({ ...permissionsQuery(api, scope ?? null, null), enabled: scope !== undefined })
  // A page inside the project uses the project's permissions, others the organization's.
  const grantsOf = (to: string): Grants | undefined => (to.includes('$projectId') ? here : (outside?.grants ?? undefined))
  const personal = scope === null
  return (
    useNavItems()
      // §2: the members of an organization's project are the organization's.
      .filter(({ to }) => personal || !to.includes('/$projectId/members'))
      .filter(({ to }) => [...to.matchAll(parameters)].every(([, name = '']) => params[name] !== undefined))
      .filter(({ to, needs }) => {
        if (needs.length === 0 || (personal && !to.includes('$projectId'))) return true
        const grants = grantsOf(to)
        return grants !== undefined && allows(grants, needs)
      })
      .toSorted((a, b) => rank(a.to) - rank(b.to))
      .map(({ to, label }) => ({
        id: to,
        label,
        lead: <Icon name={iconOf(to)} />,
        ...(to.includes('/list/$organizationId') && { note: to.endsWith('/summary') ? 'this one' : 'of this organization' }),
        ...(to.includes('$deviceId') && { note: 'of this device' }),
        ...(to.includes('$releaseId') && { note: 'of this release' }),
        verb: 'Open',
        href: router.buildLocation({ to, params, search: {} }).href,
      }))
  )
}
