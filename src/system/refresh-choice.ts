import { useSyncExternalStore } from 'react'
import type { QueryClient } from '@tanstack/react-query'
import { isRefresh, type Refresh, setRefresh, getRefresh } from '../api/refresh'
import { storageKeys } from '../lib/storage-keys'

const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** How often the console refreshes what it shows, as chosen in this browser. */
export const useRefreshChoice = (): Refresh => useSyncExternalStore(subscribe, getRefresh)

const apply = (value: unknown) => {
  setRefresh(isRefresh(value) ? value : 'live')
  for (const listener of listeners) listener()
}

/** Applies a choice and stores it for this browser. */
export const chooseRefresh = (choice: Refresh): void => {
  apply(choice)
  try {
    if (choice === 'live') localStorage.removeItem(storageKeys.refresh)
    else localStorage.setItem(storageKeys.refresh, choice)
  } catch {
    // Storage is full or blocked: it lasts for this page.
  }
}

/** Reads the stored choice, now and when another tab changes it; open queries wait anew after each change. Returns its end. */
export const followRefreshChoice = (queryClient: QueryClient): (() => void) => {
  const unsubscribe = subscribe(() => {
    for (const query of queryClient.getQueryCache().getAll())
      for (const observer of query.observers) observer.setOptions(observer.options)
  })
  const onStorage = ({ key, newValue }: StorageEvent) => {
    if (key === storageKeys.refresh || key === null) apply(newValue)
  }
  window.addEventListener('storage', onStorage)
  try {
    apply(localStorage.getItem(storageKeys.refresh))
  } catch {
    // Storage is blocked: as if nothing was chosen.
  }
  return () => {
    unsubscribe()
    window.removeEventListener('storage', onStorage)
  }
}
