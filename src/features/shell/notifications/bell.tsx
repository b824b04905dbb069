import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import { maxUnread } from '../../../../contract/accounts/notifications'
import { notificationsQuery } from '../../../api/queries/accounts/notifications'
import { paces } from '../../../api/refresh'
import { lazyPart } from '../../../system/page/lazy'
import { useList } from '../../../system/list/list'
import { useSystem } from '../../../system/system'
import { IconButton } from '../../../ui/icon/icon-button'

const load = () => import('./notification-list').then((part) => part.NotificationList)
const NotificationList = lazyPart(load)

const count = css({
  position: 'absolute',
  top: '-4',
  right: '-4',
  minW: '16',
  h: '16',
  px: '4',
  borderRadius: 'full',
  bg: 'bloom',
  color: 'white',
  textStyle: 'caption',
  textAlign: 'center',
  pointerEvents: 'none',
})

const shown = (unread: number) => (unread >= maxUnread ? `${maxUnread - 1}+` : String(unread))

/** The number of unread notifications, in a box of the size of a button; their list loads on hover or use. */
export const Bell = () => {
  const { api } = useSystem()
  const [used, setUsed] = useState(false)
  const list = useList(notificationsQuery(api), { rows: (page) => page.notifications, pace: paces.list })
  const unread = list.first?.unread ?? 0
  const trigger = (
    <IconButton
      icon="bell"
      label={unread === 0 ? 'Notifications' : `Notifications: ${shown(unread)} unread`}
      variant="ghost"
      hint={false}
      aria-haspopup="dialog"
      onPointerEnter={() => void load().catch(() => {})}
      onClick={() => setUsed(true)}
    />
  )
  return (
    <>
      {used ? (
        <Suspense fallback={trigger}>
          <NotificationList list={list}>{trigger}</NotificationList>
        </Suspense>
      ) : (
        trigger
      )}
      {unread > 0 && (
        <span className={count} aria-hidden>
          {shown(unread)}
        </span>
      )}
    </>
  )
}
