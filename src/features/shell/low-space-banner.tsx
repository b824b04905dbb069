import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { selfQuery } from '../../api/queries/accounts/self'
import { paces } from '../../api/refresh'
import { useSystem } from '../../system/system'
import { Banner } from '../../ui/layout/notice'

const Low = () => {
  // A page without its own refetch would keep the banner after space is free again.
  useQuery({ ...selfQuery(useSystem().api), refetchInterval: paces.list })
  return (
    <Banner kind="warning" wide>
      The server is low on disk space. Uploads, device logs, metrics and new rollouts are refused until space is freed.
    </Banner>
  )
}

/** F-19: for users who run an organization or a project of their own; hidden by the first answer without the header. */
export const LowSpaceBanner = () => {
  const { lowSpace } = useSystem()
  return useSyncExternalStore(lowSpace.subscribe, lowSpace.isLow) ? <Low /> : null
}
