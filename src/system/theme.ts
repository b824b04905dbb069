import { storageKeys } from '../lib/storage-keys'

const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const isTheme = (value: unknown): value is Theme => themes.some((theme) => theme === value)

/** The current theme. `early-theme.js` sets the stored one before the first paint and whenever another tab changes it. */
export const getTheme = (): Theme => {
  const { theme } = document.documentElement.dataset
  return isTheme(theme) ? theme : 'system'
}

/** Applies a theme and stores it for the next visit; without a stored one the system's setting counts. */
export const setTheme = (theme: Theme): void => {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  try {
    if (theme === 'system') localStorage.removeItem(storageKeys.theme)
    else localStorage.setItem(storageKeys.theme, theme)
  } catch {
    // Storage is full or blocked: it lasts for this page.
  }
}
