import { type ReactNode, Suspense, useState } from 'react'
import { lazyPart } from '../../system/page/lazy'
import { IconButton } from '../../ui/icon/icon-button'

const load = () => import('./nav-drawer').then((part) => part.NavDrawer)
const NavDrawer = lazyPart(load)

/** Under 768 px the side nav, the switcher and the links are in a drawer. */
export const DrawerButton = ({ className, switcher }: { className: string; switcher: ReactNode }) => {
  const [open, setOpen] = useState(false)
  return (
    <>
      <IconButton
        icon="menu"
        label="Menu"
        variant="ghost"
        hint={false}
        className={className}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      />
      {open && (
        <Suspense>
          <NavDrawer onClose={() => setOpen(false)} switcher={switcher} />
        </Suspense>
      )}
    </>
  )
}
