import { lowSpaceHeader } from '../../contract/limits'

/** Whether the server said with its last answer that its disk space is low (F-19). Only those who can do something about it are told. */
export type LowSpace = {
  /** Hears the headers of every answer to a signed-in user. */
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
