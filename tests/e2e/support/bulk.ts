import { expect } from 'vitest'
import { formatCount } from '../../../src/lib/amounts'
import { pluralize } from '../../../src/lib/pluralize'
import type { Locator, Page } from './browser'
import { highlighted } from './options'

export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
export const selectBox = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true })

/** From the checkbox of one of the devices shown to all of the filter. */
export const selectAll = async (page: Page, name: string, count: number): Promise<void> => {
  await selectBox(page, name).click()
  await button(page, `Select all ${formatCount(count)} matching`).click()
  await page.getByText(`${formatCount(count)} selected`, { exact: true }).waitFor()
}

/** By keys, since the list may move under a pointer while it opens. */
export const addTag = async (dialog: Locator, name: string): Promise<void> => {
  const box = dialog.getByRole('combobox', { name: 'Tags' })
  await box.fill(name)
  await dialog.page().getByRole('option', { name }).waitFor()
  await box.press('ArrowDown')
  await highlighted(dialog.page(), name)
  await box.press('Enter')
}

/** What the page of a job says of its progress, for as long as a job over many devices may take. */
export const progressOf = (page: Page, count: number, timeout: number) => {
  const progress = page.getByText(new RegExp(`^[\\d,]+ of ${pluralize(count, 'device')}$`))
  const reached = async () => Number((await progress.textContent())?.split(' ')[0]?.replaceAll(',', ''))
  const whole = () => expect.poll(reached, { timeout, interval: 500 }).toBe(count)
  return { reached, whole }
}

/** The page of a job shows that it has reached all of its devices. */
export const ended = (page: Page, count: number): Promise<void> =>
  page.getByText(`${count} of ${pluralize(count, 'device')}`, { exact: true }).waitFor()

/** Without a token of its own a device cannot be moved. `where`: a condition on the devices of the project $1. */
export const tokensFor = (where: string): string =>
  `insert into device_tokens (token_hash, project_id, device_id, prefix, created_at)
   select md5(id) || md5(name), project_id, id, 'dvc', now() from devices where project_id = $1 and ${where} on conflict do nothing`
