import { storageKeys } from '../lib/storage-keys'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const isTheme = (value: unknown): value is Theme => themes.some((theme) => theme === value)

/** What is worn now. `first-look.js` puts on what was kept, before the first paint and whenever another tab chooses. */
export const getTheme = (): Theme => {
  const { theme } = document.documentElement.dataset
  return isTheme(theme) ? theme : 'system'
}

/** Worn at once and kept for the next visit; the system's wish is what holds when nothing is kept. */
export const setTheme = (theme: Theme): void => {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  try {
    if (theme === 'system') localStorage.removeItem(storageKeys.theme)
    else localStorage.setItem(storageKeys.theme, theme)
  } catch {
    // Storage is full or blocked: it holds for this page.
  }
}
