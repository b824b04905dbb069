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
