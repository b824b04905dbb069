import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import type { Locator, Page } from './support/browser'
import { useConsole } from './support/console'
import { openDevicesList } from './support/devices-list'
import { newUser } from './support/hosts'
import { highlighted } from './support/options'

const console = useConsole()
const { hosts, open } = console

const scene = (devices: number) => openDevicesList(console, devices)

const count = (page: Page, devices: string) => page.getByRole('heading', { name: `Devices ${devices}`, exact: true }).waitFor()
const parameters = (page: Page) => [...new URL(page.url()).searchParams].map(([name, value]) => `${name}=${value}`)

/** By keys alone: Enter takes the option that is highlighted. */
const choose = async (box: Locator, option: string) => {
  await box.fill(option)
  await highlighted(box.page(), option)
  await box.press('Enter')
}

/** By keys alone: the field by its name, then its values, then Enter. */
const addFilter = async (page: Page, field: string, fill: () => Promise<void>) => {
  await page.getByRole('button', { name: 'Filter', exact: true }).press('Enter')
  const form = page.getByRole('dialog', { name: 'Add a filter' })
  await choose(form.getByRole('combobox', { name: 'Field' }), field)
  await fill()
  await form.getByRole('button', { name: 'Add filter' }).press('Enter')
  await form.waitFor({ state: 'hidden' })
}

it('adds any filter by keyboard, keeps it in the address, removes it by its chip, and ignores invalid ones', async () => {
  const { page } = await scene(60)
  const form = page.getByRole('dialog', { name: 'Add a filter' })
  await addFilter(page, 'Attribute', async () => {
    await form.getByRole('combobox', { name: 'Name' }).fill('kernel')
    await form.getByRole('combobox', { name: 'Value' }).fill('6.0')
  })
  await count(page, '20')
  await addFilter(page, 'Tag', async () => {
    const box = form.getByRole('combobox', { name: 'Tags' })
    await choose(box, 'roof')
    await choose(box, 'lab')
    await form.getByRole('radio', { name: 'None' }).press('Space')
  })
  // Multiples of three that are multiples neither of four nor of six.
  await count(page, '10')
  await page.getByText('none of lab, roof').waitFor()
  await addFilter(page, 'Version below', () => form.getByRole('textbox', { name: 'Version number' }).fill('9'))
  expect(parameters(page).toSorted()).toEqual(['attr.kernel=6.0', 'tag=lab', 'tag=roof', 'tag_mode=none', 'version_lt=9'])

  // The address alone says it all; what is invalid in it does not count.
  await page.goto(`${page.url()}&health=purple&last_seen_before=yesterday`)
  await count(page, '10')
  await page.getByRole('button', { name: 'Clear kernel' }).click()
  await page.getByRole('button', { name: 'Clear Tag' }).click()
  await count(page, '60')
  await addFilter(page, 'Lifecycle', async () => {
    await form.getByRole('combobox', { name: 'Value' }).press('Enter')
    await page.getByRole('option', { name: 'Disabled' }).click()
  })
  await count(page, '12')
})

it('exports the devices of the current filter, and cancels an export', async () => {
  const { page } = await scene(60)
  await page.goto(`${page.url()}?tag=roof`)
  await count(page, '15')
  await page.getByRole('button', { name: 'More', exact: true }).click()
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: 'Export as CSV' }).click()])
  expect(file.suggestedFilename()).toBe('devices.csv')
  const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n')
  expect(lines.slice(1).map((line) => line.split(',')[1])).toEqual(
    Array.from({ length: 15 }, (_, n) => `gw-${String(4 * (n + 1)).padStart(3, '0')}`),
  )

  // The answer waits until the request was given up.
  let ended: string | null = null
  page.on('requestfailed', (request) => {
    if (request.url().includes('/devices/export')) ended = request.failure()?.errorText ?? ''
  })
  await page.route('**/devices/export*', async () => {})
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Export as NDJSON' }).click()
  const cancel = page.getByRole('button', { name: 'Cancel export' })
  await page.getByRole('progressbar', { name: 'Export' }).waitFor()
  await cancel.click()
  await cancel.waitFor({ state: 'detached' })
  await expect.poll(() => ended).toBe('net::ERR_ABORTED')
})

const header = (page: Page, name: string) => page.getByRole('columnheader', { name, exact: true })
const viewButton = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const pick = async (page: Page, button: string, item: string) => {
  await viewButton(page, button).click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

it('widens a column under the pointer, its cells with it, and gives it its own width again by a double click', async () => {
  const { page } = await scene(20)
  const handle = page.getByRole('separator', { name: 'Width of Update' })
  const widths = () =>
    page.evaluate(() =>
      ['th', 'tr[data-index="0"] td'].map((cells) => {
        const column = [...document.querySelectorAll('th')].findIndex((head) => head.textContent?.includes('Update'))
        const shown = [...document.querySelectorAll<HTMLElement>(cells)]
        return Math.round(shown[column]?.getBoundingClientRect().width ?? 0)
      }),
    )
  const [before = 0] = await widths()
  const box = await handle.boundingBox()
  if (!box) throw new Error('The column has no handle')
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + 30, y, { steps: 3 })
  await expect.poll(widths).toEqual([before + 30, before + 30])
  await page.mouse.move(x + 48, y, { steps: 3 })
  await page.mouse.up()
  await expect.poll(widths).toEqual([before + 48, before + 48])
  await expect.poll(() => handle.getAttribute('aria-valuenow')).toBe(String(before + 48))
  await page.reload()
  await expect.poll(widths).toEqual([before + 48, before + 48])
  await handle.dblclick()
  await expect.poll(widths).toEqual([before, before])
})

it('saves, changes, shares, renames and deletes a view with its filters, order, columns and widths', async () => {
  const { page, projectId } = await scene(60)
  const list = page.url()
  await page.goto(`${list}?tag=roof&sort=-version`)
  await count(page, '15')
  await page.getByRole('button', { name: 'Columns', exact: true }).click()
  await page.getByRole('checkbox', { name: 'Serial number' }).click()
  await page.getByRole('checkbox', { name: 'Tags' }).click()
  await page.getByRole('switch', { name: 'Dense rows' }).click()
  await page.keyboard.press('Escape')
  await header(page, 'Serial number').waitFor()
  const width = page.getByRole('separator', { name: 'Width of Version' })
  await width.focus()
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => width.getAttribute('aria-valuenow')).toBe('144')

  await pick(page, 'All devices', 'Save view…')
  const dialog = page.getByRole('dialog', { name: 'Save view' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Roof')
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await viewButton(page, 'Roof').waitFor()

  // Without the browser's own copy: in another profile, the address of the view has its columns.
  await page.evaluate(() => localStorage.removeItem('device_layouts'))
  await page.goto(page.url())
  await header(page, 'Serial number').waitFor()
  await expect.poll(() => header(page, 'Tags').count()).toBe(0)
  expect(await page.getByRole('row', { name: /gw-004/ }).evaluate((row) => row.getBoundingClientRect().height)).toBe(28)
  await expect.poll(() => width.getAttribute('aria-valuenow')).toBe('144')

  // The list differs from the view: it says so, and the view can be updated, and taken back.
  await page.getByRole('button', { name: 'Clear Tag' }).click()
  await pick(page, 'Roof (changed)', 'Update view')
  await viewButton(page, 'Roof').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await pick(page, 'Roof (changed)', 'Discard changes')
  await count(page, '15')
  await viewButton(page, 'Roof').waitFor()

  await pick(page, 'Roof', 'Rename…')
  const rename = page.getByRole('dialog', { name: 'Rename Roof' })
  await rename.getByRole('textbox', { name: 'Name' }).fill('On the roof')
  await rename.getByRole('checkbox', { name: 'Shared' }).click()
  await rename.getByRole('button', { name: 'Save', exact: true }).click()
  await viewButton(page, 'On the roof').waitFor()

  // A viewer sees the shared view, and is told why it cannot be changed.
  const vera = await newUser(hosts())
  await hosts().sql(
    `insert into project_guests (project_id, user_id, role, joined_at) select $1, id, 'viewer', now() from users where email = $2`,
    [projectId, vera.email],
  )
  const visit = await (await open(vera)).newPage()
  await visit.goto(list)
  await pick(visit, 'All devices', 'On the roof')
  await count(visit, '15')
  await viewButton(visit, 'On the roof').click()
  await visit
    .getByRole('menu')
    .getByText(/Needs “manage devices”/)
    .waitFor()
  await expect.poll(() => visit.getByRole('menuitem', { name: 'Delete view' }).getAttribute('aria-disabled')).toBe('true')

  await pick(page, 'On the roof', 'Delete view')
  await viewButton(page, 'All devices').waitFor()
  await count(page, '60')
  await page.getByRole('button', { name: 'Undo' }).last().click()
  await viewButton(page, 'On the roof').waitFor()
  await count(page, '15')
})

it('moves between rows and opens them by keys, also rows that are not rendered, and says what a row says', async () => {
  const { page } = await scene(60)
  const focused = () => page.evaluate(() => document.activeElement?.textContent)
  await page.keyboard.press('j')
  await expect.poll(() => focused()).toBe('gw-001')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('j')
  await page.keyboard.press('k')
  await expect.poll(() => focused()).toBe('gw-002')
  expect(await page.getByRole('link', { name: 'gw-004' }).getAttribute('title')).toBe(
    'gw-004: Online, version 2, no update, health Unknown, roof',
  )
  for (let n = 3; n <= 60; n++) {
    // The next page of the list arrives when its first row is near.
    await page.locator(`tr[data-index="${n - 1}"]`).waitFor({ state: 'attached' })
    await page.keyboard.press('j')
    await expect.poll(focused).toBe(`gw-${String(n).padStart(3, '0')}`)
  }
  await page.keyboard.press('j')
  await expect.poll(() => focused()).toBe('gw-060')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'gw-060', exact: true }).waitFor()
})

it('a saved view leads to the devices of a tag that was renamed meanwhile', async () => {
  const { page } = await scene(60)
  await page.goto(`${page.url()}?tag=roof`)
  await count(page, '15')
  await pick(page, 'All devices', 'Save view…')
  const dialog = page.getByRole('dialog', { name: 'Save view' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Upstairs')
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await viewButton(page, 'Upstairs').waitFor()

  // Without a reload, so that the view is known.
  await page.getByRole('navigation').getByRole('link', { name: 'Tags', exact: true }).click()
  await page.getByRole('link', { name: 'roof' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('attic')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('link', { name: 'attic' }).waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'Devices', exact: true }).click()
  await pick(page, 'All devices', 'Upstairs')
  await count(page, '15')
  await page.getByText('attic', { exact: true }).first().waitFor()
  expect(new URL(page.url()).searchParams.getAll('tag')).toEqual(['attic'])
})

it('a filter by a tag that was deleted names it as one that the project does not have', async () => {
  const { page } = await scene(60)
  await page.goto(`${page.url()}?tag=roof&tag=cellar&tag_mode=all`)
  await page.getByText('all of roof, cellar (no such tag)').first().waitFor()
})

it('a long list has only what is in view refetched, and what comes into view renewed', async () => {
  const { page, projectId } = await scene(450)
  const row = (name: string) => page.getByRole('row', { name })
  // The version of the sixth cell tells what the page knows of a device.
  const last = page.getByRole('link', { name: 'gw-450' })
  const scroll = (to: number) => page.evaluate((top) => window.scrollTo(0, top), to)
  await expect
    .poll(async () => {
      await scroll(1e6)
      return last.isVisible()
    })
    .toBe(true)

  const read: (string | null)[] = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (request.method() === 'GET' && pathname === `/projects/${projectId}/devices`) read.push(searchParams.get('cursor'))
  })
  await hosts().sql(`update devices set installed_version = 77 where project_id = $1 and name in ('gw-225', 'gw-450')`, [
    projectId,
  ])
  await row('gw-450').getByText('77').waitFor()
  // The first page, and one or two in view; nine were loaded.
  expect(new Set(read).size).toBeLessThanOrEqual(3)

  await scroll(36 * 225)
  await row('gw-225').getByText('77').waitFor()
})
