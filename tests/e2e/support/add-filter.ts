import type { Locator, Page } from './browser'
import { highlighted } from './options'

/** By keys alone: Enter takes the option that is highlighted. */
export const choose = async (box: Locator, option: string): Promise<void> => {
  await box.fill(option)
  await highlighted(box.page(), option)
  await box.press('Enter')
}

/** By keys alone: the field by its name, then its values, then Enter. */
export const addFilter = async (page: Page, field: string, fill: (form: Locator) => Promise<void>): Promise<void> => {
  await page.getByRole('button', { name: 'Filter', exact: true }).press('Enter')
  const form = page.getByRole('dialog', { name: 'Add a filter' })
  await choose(form.getByRole('combobox', { name: 'Field' }), field)
  await fill(form)
  await form.getByRole('button', { name: 'Add filter' }).press('Enter')
  await form.waitFor({ state: 'hidden' })
}
