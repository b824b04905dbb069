import { useSyncExternalStore } from 'react'
import type { QueryClient } from '@tanstack/react-query'
import { chooseInterval } from '../../api/refresh'
import { storageKeys } from '../../lib/storage-keys'

/** `live`: at the pace of the data. The others: every so many milliseconds, or never. */
const intervals = { live: undefined, '10s': 10_000, '1m': 60_000, '5m': 300_000, off: false } as const
export type Refresh = keyof typeof intervals
export const isRefresh = (value: unknown): value is Refresh => typeof value === 'string' && Object.hasOwn(intervals, value)

let choice: Refresh = 'live'
const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** How often the console refreshes what it shows, as chosen in this browser. */
export const useRefreshChoice = (): Refresh => useSyncExternalStore(subscribe, () => choice)

const apply = (value: unknown) => {
  choice = isRefresh(value) ? value : 'live'
  chooseInterval(intervals[choice])
  for (const listener of listeners) listener()
}

/** Applies a choice and stores it for this browser. */
export const chooseRefresh = (to: Refresh): void => {
  apply(to)
  try {
    if (to === 'live') localStorage.removeItem(storageKeys.refresh)
    else localStorage.setItem(storageKeys.refresh, to)
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
