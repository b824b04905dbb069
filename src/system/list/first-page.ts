import { idle } from '../../lib/idle'

/** Whether the first page has been drawn. Code that is not needed at once must not delay its data. */
export type FirstPage = {
  drawn: () => void
  /** Resolves when it is drawn and the browser is idle. */
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
