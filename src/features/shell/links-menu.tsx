import { Suspense } from 'react'
import { lazyPart } from '../../system/page/lazy'
import { IconButton } from '../../ui/icon/icon-button'
import { useLazyTrigger } from './use-lazy-trigger'

const load = () => import('./links-menu-list').then((part) => part.LinksMenuList)
const LinksMenuList = lazyPart(load)

/** From 768 to 1023 px the header's links are in one menu. */
export const LinksMenu = () => {
  const { used, reach } = useLazyTrigger(load)
  const trigger = <IconButton icon="more" label="Links" variant="ghost" hint={false} aria-haspopup="menu" {...reach} />
  return used ? (
    <Suspense fallback={trigger}>
      <LinksMenuList>{trigger}</LinksMenuList>
    </Suspense>
  ) : (
    trigger
  )
}
