import { Link, useMatches, useParams, useRouter } from '@tanstack/react-router'
import { cx } from 'styled-system/css'
import { nav } from 'styled-system/recipes'
import { allows, type Permission } from '../../../contract/permissions'
import { useGrants } from '../../system/grants'
import { Icon, type IconName } from '../../ui/icon'
import { Skeleton } from '../../ui/skeleton'

const project = '/organizations/$organizationId/projects/$projectId'

/** §2, in its order. Name and permissions of each place stand on its route. */
const items = [
  { to: `${project}/monitor`, icon: 'monitor' },
  { to: `${project}/releases/list`, icon: 'release' },
  { to: `${project}/devices/list`, icon: 'chip' },
  {
    to: `${project}/settings/general`,
    icon: 'sliders',
    label: 'Settings',
    children: [`${project}/settings/general`, `${project}/access`],
  },
] as const satisfies readonly { to: string; icon: IconName; label?: string; children?: readonly string[] }[]
type Item = (typeof items)[number]
type Place = Item['to'] | Extract<Item, { children: unknown }>['children'][number] | `${typeof project}/access`

type Described = { options: { staticData?: { needs?: readonly Permission[]; label?: string } }; parentRoute?: Described }

/** What a place needs is what it and every place around it name. */
const needsOf = (route: Described | undefined): Permission[] =>
  route ? [...needsOf(route.parentRoute), ...(route.options.staticData?.needs ?? [])] : []

const usePlaces = () => {
  const { routesById } = useRouter()
  const described = (to: Place): Described | undefined => Object.values(routesById).find((route) => route.to === to)
  return {
    needs: (to: Place) => needsOf(described(to)),
    label: (to: Place) => described(to)?.options.staticData?.label ?? '',
  }
}

/** Its section is open: the place itself, or any place below its folder. */
const useCurrent = () => {
  const here = useMatches({ select: (matches) => matches.at(-1)?.fullPath ?? '' })
  return (to: Place) => here.startsWith(to.replace(/\/(list|general)$/, ''))
}

/** §5, R7: loading shows no place yet; without a list everything; with one what it allows. */
export const ProjectMenu = ({ title }: { title?: string | undefined }) => {
  const params = useParams({ strict: false })
  const grants = useGrants()
  const places = usePlaces()
  const isCurrent = useCurrent()
  const classes = nav()
  const { organizationId = '', projectId = '' } = params
  const all = { organizationId, projectId }
  const allowed = (to: Place) => grants !== undefined && allows(grants, places.needs(to))
  return (
    <>
      <Link to="/organizations/$organizationId/projects" params={all} className={classes.item} activeOptions={{ exact: true }}>
        <Icon name="back" />
        Projects
      </Link>
      <hr className={classes.sideRule} />
      {title !== undefined && <p className={classes.sideTitle}>{title}</p>}
      {grants === undefined &&
        items.map((item) => (
          <span key={item.to} className={classes.item}>
            <Skeleton width="half" />
          </span>
        ))}
      {items
        .filter((item) => ('children' in item ? item.children.some(allowed) : allowed(item.to)))
        .map((item) => {
          const children: readonly Place[] = 'children' in item ? item.children : []
          const current = isCurrent(item.to) || children.some(isCurrent)
          const mark = current && (children.length > 0 ? { 'data-parent': true } : { 'data-current': true })
          return (
            <div key={item.to}>
              <Link to={item.to} params={all} className={classes.item} activeOptions={{ exact: true }} {...mark}>
                <Icon name={item.icon} />
                {'label' in item ? item.label : places.label(item.to)}
              </Link>
              {current &&
                children.filter(allowed).map((to) => (
                  <Link key={to} to={to} params={all} className={cx(classes.item, classes.child)}>
                    {places.label(to)}
                  </Link>
                ))}
            </div>
          )
        })}
    </>
  )
}
