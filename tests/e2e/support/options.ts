import type { Locator } from 'playwright-core'
import type { Page } from './browser'

/** Enter chooses the option, or the entry of a menu, that is highlighted, which a list shows a moment after its options. */
export const highlighted = (page: Page, option: string, role: 'option' | 'menuitem' = 'option'): Promise<void> =>
  page.locator(`[role=${role}][data-highlighted]`, { hasText: option }).waitFor()

/** Chooses an option by the pointer once the list follows it: a press while the list is still being placed ends beside the option. */
export const choose = async (page: Page, name: string): Promise<void> => {
  const option = page.getByRole('option', { name, exact: true })
  await option.hover()
  await highlighted(page, name)
  await option.click()
}

/** By how many pixels the page and an entry of a menu move when the page is to scroll by 600. */
export const scrolledBy600 = (entry: Locator): Promise<{ page: number; entry: number }> =>
  entry.evaluate((element) => {
    const before = { page: window.scrollY, top: element.getBoundingClientRect().top }
    window.scrollBy({ top: 600, behavior: 'instant' })
    return { page: window.scrollY - before.page, entry: element.getBoundingClientRect().top - before.top }
  })
