import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { css } from 'styled-system/css'
import { selfQuery } from '../../api/queries/accounts/self'
import { lazyPart } from '../../system/page/lazy'
import { useSystem } from '../../system/system'
import { Avatar } from '../../ui/icon/avatar'
import { useLazyTrigger } from './use-lazy-trigger'

const load = () => import('./user-menu-list').then((part) => part.UserMenuList)
const UserMenuList = lazyPart(load)
const round = css({ display: 'flex', borderRadius: 'full' })

/** The avatar; its menu loads on hover or focus. */
export const UserMenu = () => {
  const { api } = useSystem()
  const { data: user } = useQuery(selfQuery(api))
  const { used, reach } = useLazyTrigger(load)
  const trigger = (
    <button type="button" className={round} aria-label="User Menu" aria-haspopup="menu" {...reach}>
      <Avatar email={user?.email} image={user?.image_url} />
    </button>
  )
  return used ? (
    <Suspense fallback={trigger}>
      <UserMenuList name={user?.full_name ?? ''} email={user?.email ?? ''}>
        {trigger}
      </UserMenuList>
    </Suspense>
  ) : (
    trigger
  )
}
