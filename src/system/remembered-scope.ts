import { storageKeys } from '../lib/storage-keys'
import { type Scope, scopeFromPath, scopeToPath } from './scope'

/** What a user had open last: a default of the next visit, never a rule. Kept per user id (R23). */
export type RememberedScope = {
  read: (userId: string) => Scope | undefined
  write: (userId: string, scope: Scope) => void
  /** The last one written in this browser: good enough to begin fetching before we know who is here. */
  hint: () => Scope | undefined
  /** … and whatever else would tell the next user of this browser where this one has been. */
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
        // Nothing was kept.
      }
    },
  }
}
