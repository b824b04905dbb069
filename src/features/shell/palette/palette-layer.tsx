import { Suspense, useSyncExternalStore } from 'react'
import { lazyPart } from '../../../system/page/lazy'
import { forgetPalette, paletteOpened, watchPalette } from '../../../system/palette-state'

const Palette = lazyPart(() => import('./palette').then((part) => part.Palette))

/** The command palette while it is open: by the header's button, or by Ctrl K and ⌘ K. */
export const PaletteLayer = () => {
  const opened = useSyncExternalStore(watchPalette, paletteOpened)
  return opened > 0 ? (
    <Suspense>
      <Palette key={opened} onClosed={() => forgetPalette(opened)} />
    </Suspense>
  ) : null
}
