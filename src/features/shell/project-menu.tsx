import { Link, useMatches, useParams } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import { cx } from 'styled-system/css'
import { nav } from 'styled-system/recipes'
import { allows } from '../../../contract/core/permissions'
import { BackLink } from '../../system/page/back'
import { useGrants } from '../../system/scope/grants'
import { useRouteScope } from '../../system/scope/scope'
import { Icon, type IconName } from '../../ui/icon/icon'
import { Skeleton } from '../../ui/layout/skeleton'
import { useNavItems } from './nav-items'

const project = '/organizations/$organizationId/projects/$projectId'

/** §2, in its order. Name and permissions of each page are on its route. Pages `below` are shown while their section is open. */
const items = [
  { to: `${project}/monitor`, icon: 'monitor' },
  { to: `${project}/releases/list`, icon: 'release', below: [`${project}/releases/rollouts`] },
  { to: `${project}/secure-boot/list`, icon: 'shield' },
  { to: `${project}/devices/list`, icon: 'chip' },
  { to: `${project}/tags/list`, icon: 'tag' },
  { to: `${project}/auditLog`, icon: 'log' },
  {
    label: 'Settings',
    icon: 'sliders',
    children: [`${project}/settings/general`, `${project}/access`, `${project}/members/list`],
  },
] as const satisfies readonly ({ icon: IconName } & (
  | { to: string; below?: readonly string[] }
  | { label: string; children: readonly string[] }
))[]
type Item = (typeof items)[number]
type To =
  | Extract<Item, { to: unknown }>['to']
  | Extract<Item, { below: unknown }>['below'][number]
  | Extract<Item, { children: unknown }>['children'][number]

/** Whether a section is open: the page itself, or any page below its folder. */
const useCurrent = () => {
  const here = useMatches({ select: (matches) => matches.at(-1)?.fullPath ?? '' })
  return (to: To) => here.startsWith(to.replace(/\/(list|general)$/, ''))
}

type PlaceProps = { to: To; current: boolean; child?: boolean; children: ReactNode }

const MenuLink = ({ to, current, child, children }: PlaceProps) => {
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  const classes = nav()
  return (
    <Link
      to={to}
      params={{ organizationId, projectId }}
      className={cx(classes.item, child && classes.child)}
      activeOptions={{ exact: true }}
      data-current={current || undefined}
    >
      {children}
    </Link>
  )
}

export const BackToProjects = () => {
  const { organizationId = '' } = useParams({ strict: false })
  return (
    <BackLink to="/organizations/$organizationId/projects" params={{ organizationId }} className={nav().item}>
      <Icon name="back" />
      Projects
    </BackLink>
  )
}

/** §5, R7: nothing while loading; everything without a list; with a list what it allows. */
export const ProjectMenu = ({ title }: { title?: string | undefined }) => {
  const grants = useGrants()
  const { scope } = useRouteScope()
  const places = useNavItems()
  const isCurrent = useCurrent()
  const classes = nav()
  const placeAt = (to: To) => places.find((place) => place.to === to)
  // §2: members of the organization are members of its projects, so there is no list here.
  const isElsewhere = (to: To) => scope !== null && to === `${project}/members/list`
  const allowed = (to: To) => grants !== undefined && !isElsewhere(to) && allows(grants, placeAt(to)?.needs)
  const drawn = (item: Item) => {
    if ('to' in item) {
      if (!allowed(item.to)) return null
      const below = 'below' in item && isCurrent(item.to) ? item.below.filter(allowed) : []
      const isBelow = below.some(isCurrent)
      return (
        <Fragment key={item.to}>
          <MenuLink to={item.to} current={isCurrent(item.to) && !isBelow}>
            <Icon name={item.icon} />
            {placeAt(item.to)?.label}
          </MenuLink>
          {below.map((to) => (
            <MenuLink key={to} to={to} child current={isCurrent(to)}>
              {placeAt(to)?.label}
            </MenuLink>
          ))}
        </Fragment>
      )
    }
    const children = item.children.filter(allowed)
    const [first] = children
    if (first === undefined) return null
    const words = (
      <>
        <Icon name={item.icon} />
        {item.label}
      </>
    )
    // An open section's name is a heading without a link: only one item is the current one.
    return item.children.some(isCurrent) ? (
      <div key={item.label} role="group" aria-label={item.label}>
        <span className={classes.item} data-parent aria-hidden>
          {words}
        </span>
        {children.map((to) => (
          <MenuLink key={to} to={to} child current={isCurrent(to)}>
            {placeAt(to)?.label}
          </MenuLink>
        ))}
      </div>
    ) : (
      <MenuLink key={item.label} to={first} current={false}>
        {words}
      </MenuLink>
    )
  }
  return (
    <>
      <BackToProjects />
      <hr className={classes.sideRule} />
      {title !== undefined && <p className={classes.sideTitle}>{title}</p>}
      {grants === undefined
        ? items.map(({ icon }) => (
            <span key={icon} className={classes.item}>
              <Skeleton width="half" />
            </span>
          ))
        : items.map(drawn)}
    </>
  )
}
