import { Link } from '@tanstack/react-router'
import { nav } from 'styled-system/recipes'
import { BackLink } from '../../system/page/back'
import { useCurrentScope } from '../../system/scope/current-scope'
import { scopeToPath } from '../../system/scope/scope'
import { Icon, type IconName } from '../../ui/icon/icon'

/** §2: Projects (back), Organizations, Subscriptions; then the user's own pages. */
const places = [
  { to: '/account/settings/organizations', icon: 'org', label: 'Organizations' },
  { to: '/account/settings/subscriptions', icon: 'doc', label: 'Subscriptions' },
  { to: '/account/settings/profile', icon: 'user', label: 'Profile' },
  { to: '/account/settings/security', icon: 'lock', label: 'Security' },
  { to: '/account/settings/notifications', icon: 'bell', label: 'Notifications' },
] as const satisfies readonly { to: string; icon: IconName; label: string }[]

export const AccountMenu = () => {
  const scope = useCurrentScope()
  const classes = nav()
  return (
    <>
      <BackLink
        to={scope === undefined ? '/organizations' : '/organizations/$organizationId/projects'}
        params={{ organizationId: scopeToPath(scope ?? null) }}
        className={classes.item}
      >
        <Icon name="back" />
        Projects
      </BackLink>
      <hr className={classes.sideRule} />
      {places.map(({ to, icon, label }) => (
        <Link key={to} to={to} search className={classes.item}>
          <Icon name={icon} />
          {label}
        </Link>
      ))}
    </>
  )
}
