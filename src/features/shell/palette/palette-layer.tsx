import { Suspense, useState, useSyncExternalStore } from 'react'
import { lazyPart } from '../../../system/lazy'
import { isPaletteOpen, openPalette, watchPalette } from './opening'

const Palette = lazyPart(() => import('./palette').then((part) => part.Palette))

/** The command palette, once it was opened: by the header's button, or by Ctrl K and ⌘ K from anywhere. */
export const PaletteLayer = () => {
  const open = useSyncExternalStore(watchPalette, isPaletteOpen)
  const [used, setUsed] = useState(open)
  if (open && !used) setUsed(true)
  return used ? (
    <Suspense>
      <Palette open={open} onOpenChange={openPalette} />
    </Suspense>
  ) : null
}
