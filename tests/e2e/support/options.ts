import type { Page } from './browser'

/** Enter chooses the option, or the entry of a menu, that is highlighted, which a list shows a moment after its options. */
export const highlighted = (page: Page, option: string, role: 'option' | 'menuitem' = 'option'): Promise<void> =>
  page.locator(`[role=${role}][data-highlighted]`, { hasText: option }).waitFor()
