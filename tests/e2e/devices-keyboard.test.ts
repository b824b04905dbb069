import { expect, it } from 'vitest'
import { manifest } from '../budget/build'
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
    // A dialog is seen before it has the focus: a Tab in between would lead on in the bar.
    await expect.poll(() => dialog.evaluate((box) => box.contains(document.activeElement))).toBe(true)
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

type AxNode = {
  nodeId: string
  ignored: boolean
  role?: { value?: string }
  name?: { value?: string }
  description?: { value?: string }
  properties?: { name: string; value: { value?: unknown } }[]
  childIds?: string[]
}

/** What Chromium tells a screen reader of a row: each part with its role, name and description. */
const readRow = async (page: Page, name: string) => {
  const devtools = await page.context().newCDPSession(page)
  const { nodes } = (await devtools.send('Accessibility.getFullAXTree')) as unknown as { nodes: AxNode[] }
  await devtools.detach()
  const byId = new Map(nodes.map((node) => [node.nodeId, node]))
  const below = (node: AxNode): AxNode[] =>
    (node.childIds ?? []).flatMap((id) => {
      const child = byId.get(id)
      return child ? [...(child.ignored ? [] : [child]), ...below(child)] : []
    })
  const row = nodes.find((node) => node.role?.value === 'row' && below(node).some((one) => one.name?.value === name))
  if (!row) throw new Error(`No row of ${name}`)
  const told = (of: AxNode) => ({
    role: of.role?.value,
    name: of.name?.value,
    description: of.description?.value,
    checked: of.properties?.find((property) => property.name === 'checked')?.value.value,
  })
  return { parts: below(row).map(told), tables: nodes.filter((node) => node.role?.value === 'table').map(told) }
}

it('tells a screen reader the table, and of a row its name, connectivity, version, health, tags and whether it is selected', async () => {
  const { page } = await openDevicesList(console, 40)
  const before = await readRow(page, 'gw-012')
  expect(before.tables).toMatchObject([{ role: 'table', name: 'Devices' }])
  const part = (of: typeof before, role: string) => of.parts.filter((one) => one.role === role)
  expect(part(before, 'checkbox')).toMatchObject([{ name: 'Select gw-012', checked: 'false' }])
  expect(part(before, 'link')).toMatchObject([
    { name: 'gw-012', description: 'gw-012: Online, version 1, no update, health Unknown, lab, roof' },
  ])
  expect(part(before, 'cell').map(({ name }) => name)).toEqual([
    'Select gw-012',
    'gw-012',
    'gw',
    'lab roof',
    '1',
    '–',
    'Unknown',
    expect.stringMatching(/ ago$|^now$/),
  ])
  await page.getByRole('checkbox', { name: 'Select gw-012' }).focus()
  await page.keyboard.press('Space')
  await selected(page, 1)
  expect(part(await readRow(page, 'gw-012'), 'checkbox')).toMatchObject([{ name: 'Select gw-012', checked: 'true' }])
  // The row of a table that is longer than the document says which one it is, the head being the first.
  await expect.poll(() => page.getByRole('row', { name: 'gw-012' }).getAttribute('aria-rowindex')).toBe('13')
  await expect.poll(() => page.getByRole('table', { name: 'Devices' }).getAttribute('aria-rowcount')).toBe('41')
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

it('gives the focus to the heading of a page before the layers above the pages are loaded, and not again after it', async () => {
  const { page } = await openDevicesList(console, 20)
  const layers = manifest()['src/features/shell/overlays.tsx']?.file ?? ''
  expect(layers).not.toBe('')
  const held: (() => void)[] = []
  await page.route(`**/${layers}`, async (route) => {
    await new Promise<void>((resolve) => held.push(resolve))
    return route.fallback()
  })
  await page.reload()
  await page.getByRole('link', { name: 'gw-001' }).waitFor()
  await expect.poll(() => held.length).toBe(1)
  await press(page, 'j', 'gw-001')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'gw-001', level: 1 }).waitFor()
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
  await page.getByRole('link', { name: 'Metrics' }).focus()
  const loaded = page.waitForResponse(`**/${layers}`)
  held[0]?.()
  await loaded
  // What these layers render, when they are loaded.
  await expect.poll(() => page.title()).toMatch(/gw-001/)
  expect(await focused(page)).toBe('Metrics')
})

it('moves the focus into what a key opens for the first time', async () => {
  const { page } = await openDevicesList(console, 5)
  for (const name of ['Notifications', 'Filter', 'Columns']) {
    await page.reload()
    await page.getByRole('link', { name: 'gw-001' }).waitFor()
    await page.getByRole('button', { name, exact: true }).press('Enter')
    const window = page.getByRole('dialog')
    await window.waitFor()
    await expect.poll(() => window.evaluate((box) => box.contains(document.activeElement)), { message: name }).toBe(true)
    await page.keyboard.press('Escape')
    await window.waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toBe(name)
  }
})

it('gives the focus to the heading of the page that a row or the start of a bulk change leads to', async () => {
  const { page } = await openDevicesList(console, 60)
  await press(page, 'j', 'gw-001')
  await press(page, 'Enter', 'gw-001')
  await page.waitForURL(/\/devices\/list\/\w+\//)
  const isHeading = () => page.evaluate(() => document.activeElement?.tagName)
  await expect.poll(isHeading).toBe('H1')
  await page.goBack()
  await expect.poll(() => focused(page)).toMatch(/^Devices/)

  await press(page, 'j', 'gw-001')
  await page.keyboard.press('x')
  await selected(page, 1)
  await press(page, '.', 'Select all 60 matching')
  await bar(page).getByRole('button', { name: 'More for the selected devices' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Disable…' }).waitFor()
  await page.keyboard.press('End')
  await page.locator('[role=menuitem][data-highlighted]', { hasText: 'Disable…' }).waitFor()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('alertdialog', { name: 'Disable 1 device?' })
  await dialog.waitFor()
  await dialog.getByRole('button', { name: 'Disable', exact: true }).press('Enter')
  await page.waitForURL(/\/devices\/jobs\//)
  await expect.poll(() => focused(page)).toBe('Disable')
  expect(await isHeading()).toBe('H1')
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
