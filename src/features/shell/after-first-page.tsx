import { type ReactNode, Suspense, useSyncExternalStore } from 'react'
import { useSystem } from '../../system/system'

/** What loads once the first page is drawn. */
export const AfterFirstPage = ({ children }: { children: ReactNode }) => {
  const { firstPage } = useSystem()
  return useSyncExternalStore(firstPage.subscribe, firstPage.isDrawn) ? <Suspense>{children}</Suspense> : null
}
