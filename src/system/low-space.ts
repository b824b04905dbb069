import { lowSpaceHeader } from '../../contract/core/limits'

/** Whether the last answer said that the server's disk space is low (F-19). Only users who can act on it get that header. */
export type LowSpace = {
  /** Called with the headers of every answer to a signed-in user. */
  answered: (headers: Headers) => void
  isLow: () => boolean
  subscribe: (changed: () => void) => () => void
}

export const createLowSpace = (): LowSpace => {
  const listeners = new Set<() => void>()
  let isLow = false
  return {
    answered: (headers) => {
      const now = headers.has(lowSpaceHeader)
      if (now === isLow) return
      isLow = now
      for (const listener of listeners) listener()
    },
    isLow: () => isLow,
    subscribe: (changed) => {
      listeners.add(changed)
      return () => listeners.delete(changed)
    },
  }
}
