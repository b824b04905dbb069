import type { System } from '../../../system/system'

let times = 0
let opened = 0
const listeners = new Set<() => void>()
const notifyListeners = (next: number) => {
  opened = next
  for (const listener of listeners) listener()
}

/** Which opening of the palette stands, 0 for none: each begins anew. */
export const paletteOpened = (): number => opened
export const openPalette = (): void => notifyListeners((times += 1))
/** What went before does not take along what was opened since. */
export const forgetPalette = (which: number): void => {
  if (which === opened) notifyListeners(0)
}
export const watchPalette = (changed: () => void) => {
  listeners.add(changed)
  return () => listeners.delete(changed)
}

/** Its name on the stack of dialogs (`useModal`). */
export const paletteName = 'palette'

/**
 * Ctrl K and ⌘ K from anywhere. Heard from the first moment: what is pressed while the page comes opens with it. Where nobody is
 * signed in, nor about to be, the key is the browser's own.
 */
export const registerPaletteShortcut = (page: Window, { auth, chunkReload, modals }: System): void => {
  const mayStand = () => {
    const session = auth.getSnapshot()
    return (session.hasTag('signedIn') || session.hasTag('busy')) && !chunkReload.getSnapshot().hasTag('updating')
  }
  page.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
    if (!mayStand()) return
    event.preventDefault()
    const standing = modals.actor?.getSnapshot().context.stack.find(({ id }) => id.startsWith(`${paletteName}.`))
    if (standing) modals.actor?.send({ type: 'modal.closed', id: standing.id })
    else if (opened > 0) forgetPalette(opened)
    else openPalette()
  })
  auth.on('session.closed', () => forgetPalette(opened))
}
