import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { css } from 'styled-system/css'
import { nav } from 'styled-system/recipes'
import { lazyPart } from '../../system/page/lazy'
import { useSystem } from '../../system/system'
import { Badge } from '../../ui/text/badge'
import { Wordmark } from '../../ui/icon/mark'
import { AfterFirstPage } from './after-first-page'
import { DrawerButton } from './drawer-button'
import { ExternalLinks } from './external-links'
import { GuideButton } from './guide-button'
import { LinksMenu } from './links-menu'
import { SearchButton } from './search-button'
import { UserMenu } from './user-menu'

const wide = css({ display: { base: 'none', md: 'flex' }, alignItems: 'center', gap: '12', minW: '0' })
const narrow = css({ md: { display: 'none' }, ml: '-8' })
const links = css({ display: { base: 'none', lg: 'flex' }, alignItems: 'center', gap: '16' })
const folded = css({ display: { base: 'none', md: 'block', lg: 'none' } })
// As wide as the button that follows.
const bell = css({ position: 'relative', display: 'flex', w: { base: 'controlTouch', md: 'control' } })
const guide = css({ mdDown: { display: 'none' } })

const Bell = lazyPart(() => import('./notifications/bell').then((part) => part.Bell))

/** 57 px (§9). Nothing shifts when the user's data arrives. */
export const Header = ({ switcher }: { switcher: ReactNode }) => {
  const { environment } = useSystem()
  const classes = nav()
  return (
    <header className={classes.header}>
      <DrawerButton className={narrow} switcher={switcher} />
      <Link to="/organizations" search className={classes.brand}>
        <Wordmark />
        {environment.beta && <Badge stage>BETA</Badge>}
      </Link>
      <div className={wide}>{switcher}</div>
      <div className={classes.links}>
        <SearchButton />
        <nav className={links} aria-label="More links">
          <ExternalLinks />
        </nav>
        <div className={folded}>
          <LinksMenu />
        </div>
        <GuideButton className={guide} />
        <div className={bell}>
          <AfterFirstPage>
            <Bell />
          </AfterFirstPage>
        </div>
        <UserMenu />
      </div>
    </header>
  )
}
