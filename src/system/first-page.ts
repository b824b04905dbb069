import { idle } from '../lib/idle'

/** Whether the first page has been drawn. Code that is not needed at once must not delay its data. */
export type FirstPage = {
  drawn: (path: string) => void
  /** Resolves when it is drawn and the browser is idle. */
  settled: Promise<void>
  isDrawn: () => boolean
  /** The path that it was drawn at. */
  path: () => string | undefined
  subscribe: (changed: () => void) => () => void
}

export const createFirstPage = (): FirstPage => {
  const listeners = new Set<() => void>()
  let path: string | undefined
  let resolve = () => {}
  const standing = new Promise<void>((done) => (resolve = done))
  return {
    drawn: (drawnPath) => {
      if (path !== undefined) return
      path = drawnPath
      resolve()
      for (const listener of listeners) listener()
    },
    settled: standing.then(idle),
    isDrawn: () => path !== undefined,
    path: () => path,
    subscribe: (changed) => {
      listeners.add(changed)
      return () => listeners.delete(changed)
    },
  }
}
