import type { Page } from './browser'

/** Enter chooses the option that is highlighted, which a list shows a moment after its options. */
export const highlighted = (page: Page, option: string): Promise<void> =>
  page.locator('[role=option][data-highlighted]', { hasText: option }).waitFor()
