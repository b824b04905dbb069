import { useSyncExternalStore } from 'react'

// The theme's `md` width, under which tables stack.
const narrow = window.matchMedia('(width < 48rem)')

const subscribe = (changed: () => void) => {
  narrow.addEventListener('change', changed)
  return () => narrow.removeEventListener('change', changed)
}

export const useNarrow = () => useSyncExternalStore(subscribe, () => narrow.matches)
