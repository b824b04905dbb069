import { type ReactNode, Suspense, useState } from 'react'
import { lazyPart } from '../../system/lazy'
import { IconButton } from '../../ui/icon-button'

const load = () => import('./nav-drawer').then((part) => part.NavDrawer)
const NavDrawer = lazyPart(load)

/** Under 768 the side nav, the switcher and the links stand in a drawer. */
export const DrawerButton = ({ switcher }: { switcher: ReactNode }) => {
  const [used, setUsed] = useState(false)
  const [open, setOpen] = useState(false)
  const show = () => {
    setUsed(true)
    setOpen(true)
  }
  return (
    <>
      <IconButton icon="menu" label="Menu" variant="ghost" hint={false} aria-haspopup="dialog" onClick={show} />
      {used && (
        <Suspense>
          <NavDrawer open={open} onOpenChange={setOpen} switcher={switcher} />
        </Suspense>
      )}
    </>
  )
}
