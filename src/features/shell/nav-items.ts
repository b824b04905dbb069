import { useRouter } from '@tanstack/react-router'
import type { Permission } from '../../../contract/core/permissions'

type Described = { options: { staticData?: { needs?: readonly Permission[]; label?: string } }; parentRoute?: Described }

/** The permissions of a route and of all its parents. */
const needsOf = (route: Described | undefined): Permission[] =>
  route ? [...needsOf(route.parentRoute), ...(route.options.staticData?.needs ?? [])] : []

export type NavItem = { to: string; label: string; needs: Permission[] }

/** Every route with a label: menus and the palette read them from the route tree. */
export const useNavItems = (): NavItem[] => {
  const { routesById } = useRouter()
  return Object.values(routesById).flatMap((route) => {
    const described: Described = route
    const { label } = described.options.staticData ?? {}
    return label === undefined ? [] : [{ to: route.to, label, needs: needsOf(described) }]
  })
}
