let open = false
const listeners = new Set<() => void>()

/** Whether the palette is open: the button, the keys and the palette itself say so. */
export const isPaletteOpen = (): boolean => open
export const openPalette = (next: boolean): void => {
  open = next
  for (const listener of listeners) listener()
}
export const watchPalette = (changed: () => void) => {
  listeners.add(changed)
  return () => listeners.delete(changed)
}

/** Ctrl K and ⌘ K from anywhere. Heard from the first moment: what is pressed while the page comes opens with it. */
export const hearPalette = (page: Window): void =>
  page.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
    event.preventDefault()
    openPalette(!open)
  })
