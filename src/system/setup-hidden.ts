import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { selfQuery } from '../api/queries/accounts/self'
import { storageKeys } from '../lib/storage-keys'
import { useSystem } from './system'

// What was chosen on this page holds even if storage is full or blocked.
const chosen = new Map<string, boolean>()
const listeners = new Set<() => void>()

const isHidden = (key: string): boolean => {
  try {
    return chosen.get(key) ?? localStorage.getItem(key) !== null
  } catch {
    return false
  }
}

const setHidden = (key: string, hidden: boolean): void => {
  chosen.set(key, hidden)
  try {
    if (hidden) localStorage.setItem(key, 'true')
    else localStorage.removeItem(key)
  } catch {
    // Storage is full or blocked: the next visit shows the steps again.
  }
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Whether this user has hidden the setup steps of a project in this browser; undefined until the user is known. */
export const useSetupHidden = (projectId: string) => {
  const { data: user } = useQuery(selfQuery(useSystem().api))
  const key = user && `${storageKeys.setupHidden}.${user.id}.${projectId}`
  const hidden = useSyncExternalStore(subscribe, () => (key === undefined ? undefined : isHidden(key)))
  return {
    hidden,
    setHidden: (next: boolean) => {
      if (key !== undefined) setHidden(key, next)
    },
  }
}
