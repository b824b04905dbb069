import type { System } from './system'

let times = 0
let opened = 0
const listeners = new Set<() => void>()
const notifyListeners = (next: number) => {
  opened = next
  for (const listener of listeners) listener()
}

/** The number of the current opening, 0 if closed: each opening starts with empty state. */
export const paletteOpened = (): number => opened
export const openPalette = (): void => notifyListeners((times += 1))
/** An earlier opening that closes late must not close a newer one. */
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
 * Ctrl K and ⌘ K on every page. Registered at once: a press during loading opens the palette when it is ready. Without a
 * session, or one being established, the browser keeps the key.
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
