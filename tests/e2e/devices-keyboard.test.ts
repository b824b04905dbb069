import { expect, it } from 'vitest'
import type { Page } from './support/browser'
import { useConsole } from './support/console'
import { openDevicesList } from './support/devices-list'

const console = useConsole()

const focused = (page: Page) =>
  page.evaluate(() => {
    const { activeElement: active } = document
    return active?.getAttribute('aria-label') ?? active?.textContent ?? ''
  })
const selected = (page: Page, count: number) => page.getByText(`${count} selected`, { exact: true }).waitFor()
const bar = (page: Page) => page.getByRole('region', { name: 'Selection' })

/** Presses keys one by one, each after the one before was answered by the focus. */
const press = async (page: Page, key: string, lands: string) => {
  await page.keyboard.press(key)
  await expect.poll(() => focused(page)).toBe(lands)
}

/** Whether the focus can be seen: nothing fixed over the list covers it. */
const isFocusUncovered = (page: Page) =>
  page.evaluate(() => {
    const { activeElement: active } = document
    const { left, top, width, height } = active?.getBoundingClientRect() ?? new DOMRect()
    const hit = document.elementFromPoint(left + width / 2, top + height / 2)
    return hit !== null && (active?.contains(hit) ?? false)
  })

it('selects devices, leads to their actions and back to the row by keys alone, on 450 rows', async () => {
  const { page } = await openDevicesList(console, 450)
  await press(page, 'j', 'gw-001')
  for (const name of ['gw-002', 'gw-003']) await press(page, 'j', name)
  await page.keyboard.press('x')
  await selected(page, 1)
  await press(page, 'Shift+ArrowDown', 'gw-004')
  await press(page, 'Shift+ArrowDown', 'gw-005')
  await selected(page, 3)
  await press(page, 'Shift+ArrowUp', 'gw-004')
  await selected(page, 2)
  await press(page, 'Shift+ArrowDown', 'gw-005')
  await selected(page, 3)
  await bar(page).getByText('to the actions').waitFor()

  // To the bar, through it, into a window and out of it again, as often as one likes.
  await press(page, '.', 'Select all 450 matching')
  await bar(page).getByText('to the list').waitFor()
  await press(page, 'Tab', 'Tags')
  await press(page, 'Tab', 'Pause updates')
  await press(page, 'Shift+Tab', 'Tags')
  for (const end of ['Escape', 'Enter']) {
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('alertdialog', { name: 'Tags of 3 devices' })
    await dialog.waitFor()
    if (end === 'Enter') {
      await expect
        .poll(async () => {
          await page.keyboard.press('Tab')
          return focused(page)
        })
        .toBe('Cancel')
    }
    await page.keyboard.press(end)
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toBe('Tags')
  }
  for (const name of ['Pause updates', 'Move', 'Decommission', 'More for the selected devices']) await press(page, 'Tab', name)
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Disable…' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'hidden' })
  await expect.poll(() => focused(page)).toBe('More for the selected devices')
  await selected(page, 3)

  await press(page, 'Escape', 'gw-005')
  await selected(page, 3)
  await press(page, 'j', 'gw-006')
  await page.keyboard.press('x')
  await selected(page, 4)
  await page.keyboard.press('Escape')
  await bar(page).waitFor({ state: 'detached' })
  expect(await focused(page)).toBe('gw-006')
})

it('leads back to the row when the selection is cleared in the bar by a key', async () => {
  const { page } = await openDevicesList(console, 60)
  await press(page, 'j', 'gw-001')
  await press(page, 'j', 'gw-002')
  await page.keyboard.press('x')
  await selected(page, 1)
  await press(page, '.', 'Select all 60 matching')
  await bar(page).getByRole('button', { name: 'Clear selection' }).focus()
  await page.keyboard.press('Enter')
  await bar(page).waitFor({ state: 'detached' })
  await expect.poll(() => focused(page)).toBe('gw-002')
  await press(page, 'j', 'gw-003')
})

it('leads from the last loaded rows to the bar, which covers no focused row', async () => {
  const { page } = await openDevicesList(console, 450)
  await press(page, 'j', 'gw-001')
  await page.keyboard.press('x')
  await selected(page, 1)
  const last = async () => Number((await focused(page)).replace('gw-', ''))
  // Each End goes to the last row that is loaded, and more are loaded there.
  await expect
    .poll(async () => {
      await page.keyboard.press('End')
      return last()
    })
    .toBe(450)
  await expect.poll(() => isFocusUncovered(page)).toBe(true)
  await press(page, 'Shift+ArrowUp', 'gw-449')
  await selected(page, 449)
  await press(page, '.', 'Select all 450 matching')
  await press(page, 'Escape', 'gw-449')
  await expect.poll(() => isFocusUncovered(page)).toBe(true)
})

it('moves by Home, End and pages between rows, and between the rows and the filter box', async () => {
  const { page } = await openDevicesList(console, 450)
  await press(page, 'j', 'gw-001')
  await page.keyboard.press('PageDown')
  await expect.poll(() => focused(page)).not.toBe('gw-001')
  const first = Number((await focused(page)).replace('gw-', ''))
  expect(first).toBeGreaterThan(5)
  await page.keyboard.press('PageDown')
  await expect.poll(async () => Number((await focused(page)).replace('gw-', ''))).toBeGreaterThan(first + 5)
  expect(await isFocusUncovered(page)).toBe(true)
  await page.keyboard.press('PageUp')
  await page.keyboard.press('PageUp')
  await page.keyboard.press('PageUp')
  await expect.poll(() => focused(page)).toBe('gw-001')
  await press(page, 'End', 'gw-050')
  await press(page, 'Home', 'gw-001')

  await press(page, '/', 'Filter by name')
  await page.keyboard.type('gw-44')
  await page.getByRole('heading', { name: 'Devices 10', exact: true }).waitFor()
  await press(page, 'ArrowDown', 'gw-440')
  // A slash and the keys of rows are text in the box.
  await press(page, '/', 'Filter by name')
  await page.keyboard.type('/.xj')
  expect(await page.getByRole('searchbox', { name: 'Filter by name' }).inputValue()).toBe('/.xj')
})
