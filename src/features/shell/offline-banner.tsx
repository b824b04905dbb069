import { useSelector } from '@xstate/react'
import { titles } from '../../../contract/core/errors'
import { useSystem } from '../../system/system'
import { Banner } from '../../ui/layout/notice'

export const OfflineBanner = () => {
  const { connection } = useSystem()
  const offline = useSelector(connection, (snapshot) => snapshot.hasTag('offline'))
  return offline ? (
    <Banner kind="warning" wide>
      {titles.offline}
    </Banner>
  ) : null
}
