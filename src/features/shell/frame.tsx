import type { ReactNode } from 'react'
import { nav } from 'styled-system/recipes'
import { lazyPart } from '../../system/lazy'
import { AfterFirstPage } from './after-first-page'
import { DeferredBanner } from './deferred-banner'
import { Header } from './header'
import { LowSpaceBanner } from './low-space-banner'
import { Notices } from './notices'
import { OfflineBanner } from './offline-banner'
import { PageTitle } from './page-title'

// Their styles are not in the first sheet.
const Overlays = lazyPart(() => import('./overlays').then((part) => part.Overlays))

/** The frame of every page. Parts of other features come from the route that composes them. */
export const Frame = ({ switcher, dock, children }: { switcher: ReactNode; dock: ReactNode; children: ReactNode }) => (
  <div className={nav().app}>
    <PageTitle />
    <OfflineBanner />
    <LowSpaceBanner />
    <DeferredBanner />
    <Header switcher={switcher} />
    {children}
    <AfterFirstPage>
      <Overlays />
    </AfterFirstPage>
    {dock}
    <Notices />
  </div>
)
