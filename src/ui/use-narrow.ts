import { useSyncExternalStore } from 'react'

// As wide as the theme's `md`, under which tables stack.
const narrow = window.matchMedia('(width < 48rem)')

const subscribe = (changed: () => void) => {
  narrow.addEventListener('change', changed)
  return () => narrow.removeEventListener('change', changed)
}

export const useNarrow = () => useSyncExternalStore(subscribe, () => narrow.matches)
