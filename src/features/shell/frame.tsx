import type { ReactNode } from 'react'
import { nav } from 'styled-system/recipes'
import { lazyPart } from '../../system/page/lazy'
import { AfterFirstPage } from './after-first-page'
import { DeferredBanner } from './deferred-banner'
import { Header } from './header'
import { Notices } from './notices'
import { OfflineBanner } from './offline-banner'

// Not needed at once, and their styles are not in the first sheet.
const LowSpaceBanner = lazyPart(() => import('./low-space-banner').then((part) => part.LowSpaceBanner))
const Overlays = lazyPart(() => import('./overlays').then((part) => part.Overlays))

/** The frame of every page. Parts of other features come from the route that composes them. */
export const Frame = ({ switcher, dock, children }: { switcher: ReactNode; dock: ReactNode; children: ReactNode }) => (
  <div className={nav().app}>
    <OfflineBanner />
    <AfterFirstPage>
      <LowSpaceBanner />
    </AfterFirstPage>
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
