import { useRouter } from '@tanstack/react-router'
import type { Permission } from '../../../contract/permissions'

type Described = { options: { staticData?: { needs?: readonly Permission[]; label?: string } }; parentRoute?: Described }

/** What a place needs is what it and every place around it name. */
const needsOf = (route: Described | undefined): Permission[] =>
  route ? [...needsOf(route.parentRoute), ...(route.options.staticData?.needs ?? [])] : []

export type NavItem = { to: string; label: string; needs: Permission[] }

/** Every place of the route tree that has a name: menus and the palette read what stands on the routes. */
export const useNavItems = (): NavItem[] => {
  const { routesById } = useRouter()
  return Object.values(routesById).flatMap((route) => {
    const described: Described = route
    const { label } = described.options.staticData ?? {}
    return label === undefined ? [] : [{ to: route.to, label, needs: needsOf(described) }]
  })
}
