import { storageKeys } from '../../lib/storage-keys'
import { type Scope, scopeFromPath, scopeToPath } from './scope'

/** The scope that a user opened last: the default of the next visit. Stored per user id (R23). */
export type RememberedScope = {
  read: (userId: string) => Scope | undefined
  write: (userId: string, scope: Scope) => void
  /** The last one written in this browser: used to start requests before the user is known. */
  hint: () => Scope | undefined
  /** Removes it and other traces of this user for the next user of this browser. */
  forgetHint: () => void
}

export const createRememberedScope = (page: Window): RememberedScope => {
  const read = (key: string) => {
    try {
      const word = page.localStorage.getItem(key)
      return word === null ? undefined : scopeFromPath(word)
    } catch {
      return undefined
    }
  }
  const of = (userId: string) => `${storageKeys.organization}.${userId}`
  return {
    read: (userId) => read(of(userId)),
    write: (userId, scope) => {
      try {
        for (const key of [of(userId), storageKeys.organization]) page.localStorage.setItem(key, scopeToPath(scope))
      } catch {
        // Storage is full or blocked: the next visit begins with the first organization.
      }
    },
    hint: () => read(storageKeys.organization),
    forgetHint: () => {
      try {
        for (const key of [storageKeys.organization, storageKeys.recent]) page.localStorage.removeItem(key)
      } catch {
        // Nothing was stored.
      }
    },
  }
}
