import { tokenPattern } from '../../../contract/accounts/sessions'
import { storageKeys } from '../../lib/storage-keys'

export type SessionStore = {
  /** Throws where storage cannot be read. */
  read: () => string | null
  /** The same, but null where storage cannot be read. */
  token: () => string | null
  write: (token: string) => void
  clear: () => void
  /** False where the browser stores nothing: blocked, or full. */
  writable: () => boolean
  /** Called when another tab has written or removed the token. */
  watch: (changed: (token: string | null) => void) => () => void
}

const probe = 'storage_probe'
const accepted = (value: string | null) => (value !== null && tokenPattern.test(value) ? value : null)

const read = (page: Window) => accepted(page.localStorage.getItem(storageKeys.session))

/** The token is in localStorage, so that new tabs are signed in. */
export const createSessionStore = (page: Window): SessionStore => ({
  read: () => read(page),
  token: () => {
    try {
      return read(page)
    } catch {
      return null
    }
  },
  write: (token) => page.localStorage.setItem(storageKeys.session, token),
  clear: () => {
    try {
      page.localStorage.removeItem(storageKeys.session)
    } catch {
      // Nothing was stored, so nothing needs to be removed.
    }
  },
  writable: () => {
    try {
      for (const storage of [page.localStorage, page.sessionStorage]) {
        storage.setItem(probe, probe)
        storage.removeItem(probe)
      }
      return true
    } catch {
      return false
    }
  },
  watch: (changed) => {
    const listen = ({ key, newValue, storageArea }: StorageEvent) => {
      if (storageArea !== page.localStorage) return
      if (key === storageKeys.session) changed(accepted(newValue))
      // `clear()` in another tab gives no key.
      else if (key === null) changed(null)
    }
    page.addEventListener('storage', listen)
    return () => page.removeEventListener('storage', listen)
  },
})
