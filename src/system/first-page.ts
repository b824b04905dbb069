import { idle } from '../lib/idle'

/** Whether the first page has been drawn. Nothing that no page needs at once may come between it and its data. */
export type FirstPage = {
  drawn: () => void
  /** Resolves when it stands and the browser has nothing else to draw. */
  settled: Promise<void>
  isDrawn: () => boolean
  subscribe: (changed: () => void) => () => void
}

export const createFirstPage = (): FirstPage => {
  const listeners = new Set<() => void>()
  let isDrawn = false
  let resolve = () => {}
  const standing = new Promise<void>((done) => (resolve = done))
  return {
    drawn: () => {
      if (isDrawn) return
      isDrawn = true
      resolve()
      for (const listener of listeners) listener()
    },
    settled: standing.then(idle),
    isDrawn: () => isDrawn,
    subscribe: (changed) => {
      listeners.add(changed)
      return () => listeners.delete(changed)
    },
  }
}
