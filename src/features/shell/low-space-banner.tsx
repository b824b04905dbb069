import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { selfQuery } from '../../api/queries/self'
import { paces } from '../../api/refresh'
import { useSystem } from '../../system/system'
import { Banner } from '../../ui/notice'

const Low = () => {
  // A page that asks for nothing by itself would keep the banner after space is back.
  useQuery({ ...selfQuery(useSystem().api), refetchInterval: paces.list })
  return (
    <Banner kind="warning" wide>
      The server is low on disk space. Uploads, device logs, metrics and new rollouts are refused until space is freed.
    </Banner>
  )
}

/** F-19: for those who run an organization or a project of their own; goes with the first answer that no longer says it. */
export const LowSpaceBanner = () => {
  const { lowSpace } = useSystem()
  return useSyncExternalStore(lowSpace.subscribe, lowSpace.isLow) ? <Low /> : null
}
