import { Suspense, useSyncExternalStore } from 'react'
import { lazyPart } from '../../system/page/lazy'
import { noticesBegun, watchNotices } from '../../system/failure/notify'

const Toaster = lazyPart(() => import('../../ui/overlay/toast').then((part) => part.Toaster))

/** Toasts; their code loads with the first one. */
export const Notices = () => {
  const begun = useSyncExternalStore(watchNotices, noticesBegun)
  return begun ? (
    <Suspense>
      <Toaster />
    </Suspense>
  ) : null
}
