import { Link, Outlet } from '@tanstack/react-router'
import { nav } from 'styled-system/recipes'
import { Icon } from '../../ui/icon'

/** §2: Projects (back), Organizations, Subscriptions. */
export default function AccountFrame() {
  const classes = nav()
  return (
    <div className={classes.body}>
      <nav className={classes.side} aria-label="Account">
        <Link to="/organizations" className={classes.item}>
          <Icon name="back" />
          Projects
        </Link>
        <hr className={classes.sideRule} />
        <Link to="/account/settings" className={classes.item} activeOptions={{ exact: true }}>
          <Icon name="user" />
          Account
        </Link>
        <Link to="/account/settings/organizations" className={classes.item}>
          <Icon name="org" />
          Organizations
        </Link>
        <Link to="/account/settings/subscriptions" className={classes.item}>
          <Icon name="doc" />
          Subscriptions
        </Link>
      </nav>
      <main className={classes.main}>
        <Outlet />
      </main>
    </div>
  )
}
