import { useSelector } from '@xstate/react'
import { type ReactNode, Suspense } from 'react'
import { lazyPart } from '../../system/page/lazy'
import { useSystem } from '../../system/system'
import { RedirectingPage } from './redirecting-page'
import { UpdatingPage } from './updating-page'
import { WaitingPage } from './waiting-page'

const StuckPage = lazyPart(() => import('./stuck-page').then((part) => part.StuckPage))
const UnreachablePage = lazyPart(() => import('./unreachable-page').then((part) => part.UnreachablePage))

/** Shows pages only with a session: otherwise those of the auth chart, and those of chunkReload before all. */
export const SessionGate = ({ children }: { children: ReactNode }) => {
  const { auth, chunkReload } = useSystem()
  const updating = useSelector(chunkReload, (snapshot) => snapshot.hasTag('updating'))
  const stage = useSelector(auth, (snapshot) => {
    if (snapshot.hasTag('signedIn')) return 'signedIn'
    if (snapshot.hasTag('redirecting')) return 'redirecting'
    if (snapshot.hasTag('unreachable')) return 'unreachable'
    return snapshot.hasTag('stuck') ? 'stuck' : 'busy'
  })
  if (updating) return <UpdatingPage />
  switch (stage) {
    case 'signedIn':
      return children
    case 'redirecting':
      return <RedirectingPage />
    case 'unreachable':
      return (
        <Suspense fallback={<WaitingPage />}>
          <UnreachablePage />
        </Suspense>
      )
    case 'stuck':
      return (
        <Suspense fallback={<WaitingPage />}>
          <StuckPage />
        </Suspense>
      )
    case 'busy':
      return <WaitingPage />
  }
}
