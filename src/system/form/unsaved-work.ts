/** What would be lost with the page: running uploads and unsaved forms, each under its own name. */
export type UnsavedWork = {
  note: (name: string, running: boolean) => void
  running: () => boolean
}

export const createUnsavedWork = (page: Window, changed: (running: boolean) => void): UnsavedWork => {
  const names = new Set<string>()
  const ask = (event: BeforeUnloadEvent) => event.preventDefault()
  return {
    running: () => names.size > 0,
    note: (name, running) => {
      const before = names.size > 0
      if (running) names.add(name)
      else names.delete(name)
      const after = names.size > 0
      if (before === after) return
      // A permanent listener would keep the page out of the back-forward cache.
      if (after) page.addEventListener('beforeunload', ask)
      else page.removeEventListener('beforeunload', ask)
      changed(after)
    },
  }
}
