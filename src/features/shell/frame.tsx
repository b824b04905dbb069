import type { ReactNode } from 'react'
import { nav } from 'styled-system/recipes'
import { DeferredBanner } from './deferred-banner'
import { ExperimentalFlask } from './experimental-flask'
import { Header } from './header'
import { Notices } from './notices'
import { OfflineBanner } from './offline-banner'
import { PageTitle } from './page-title'

/** What stands around every page. The parts of other nouns come from the route that composes them. */
export const Frame = ({ switcher, dock, children }: { switcher: ReactNode; dock: ReactNode; children: ReactNode }) => (
  <div className={nav().app}>
    <PageTitle />
    <OfflineBanner />
    <DeferredBanner />
    <Header switcher={switcher} />
    {children}
    <ExperimentalFlask />
    {dock}
    <Notices />
  </div>
)
