import { mkdir, writeFile } from 'node:fs/promises'
import { create } from 'superstruct'
import { expect, it } from 'vitest'
import { deviceJobs } from '../../contract/fleet/device-jobs'
import { DevicePage } from '../../contract/fleet/devices'
import { createOrganization } from '../../contract/accounts/organization'
import { createOrganizationProject } from '../../contract/accounts/project-changes'
import { createTag, tags as listTags } from '../../contract/fleet/tags'
import { formatCount } from '../../src/lib/amounts'
import { isFull, repetitions } from '../support/counts'
import type { Page } from './support/browser'
import { addTag, button, ended, progressOf, selectAll, selectBox, tokensFor } from './support/bulk'
import { call } from './support/call'
import { useConsole } from './support/console'
import { newUser, subscriber } from './support/hosts'
import { join } from './support/members'
import { highlighted, scrolledBy600 } from './support/options'
import { within } from '../support/machine-load'

const { hosts, open } = useConsole({})
const pictures = process.env['TEASEL_PICTURES']

const size = 120
const head = (page: Page) => page.getByRole('checkbox', { name: 'Select the devices shown' })
const selected = (page: Page, count: number) => page.getByText(`${count} selected`, { exact: true }).waitFor()

/** Devices with a token each, except the first. */
const addDevices = async (projectId: string, from: number, count: number) => {
  await hosts().sql(
    `insert into devices (id, created_at, updated_at, revision, project_id, name, hardware_model, lifecycle, enrollment)
     select '01K' || upper(substr(md5($1), 1, 13)) || lpad(n::text, 10, '0'), now(), now(), 1, $1, 'gw-' || lpad(n::text, greatest(4, length(n::text)), '0'),
       'gw', 'active', 'simulated'
     from generate_series($2::int, $3::int) as n`,
    [projectId, from, from + count - 1],
  )
  await hosts().sql(tokensFor(`name <> 'gw-0001'`), [projectId])
}

const scene = async (count = size) => {
  const ines = await subscriber(hosts())
  const { api, console } = hosts()
  const as = ines.token
  const { body: organization } = await call(api, createOrganization, {}, { as, body: { name: 'Orchard' } })
  const organizationId = organization.public_id
  const make = async (name: string) =>
    (await call(api, createOrganizationProject, { organizationId }, { as, body: { name } })).body.id
  const projectId = await make('Field')
  await make('Workshop')
  await call(api, createTag, { projectId }, { as, body: { name: 'roof', colour: 'moss' } })
  await addDevices(projectId, 1, count)
  const list = `${console}/organizations/${organizationId}/projects/${projectId}/devices/list`
  const matching = async (query: Record<string, string> = {}) => {
    const address = `${api}/projects/${projectId}/devices?${new URLSearchParams(query).toString()}`
    const answer: unknown = await (await fetch(address, { headers: { 'x-session-token': as } })).json()
    return create(answer, DevicePage).total
  }
  return { ines, organizationId, projectId, list, matching }
}

const visit = async (list: string, visitor: Awaited<ReturnType<typeof newUser>>) => {
  const page = await (await open(visitor)).newPage()
  await page.goto(list)
  await selectBox(page, 'gw-0001').waitFor()
  await page.getByText('local', { exact: true }).waitFor()
  return page
}

it('selects by mouse and keys, tags all that match without one, and undoes it; other tabs see the job', async () => {
  const { ines, list, matching } = await scene()
  const page = await visit(list, ines)

  // §4: by mouse: a row, a range, the page; the head says how much of it.
  await selectBox(page, 'gw-0002').click()
  await selected(page, 1)
  expect(await head(page).evaluate((input: HTMLInputElement) => input.indeterminate)).toBe(true)
  await selectBox(page, 'gw-0005').click({ modifiers: ['Shift'] })
  await selected(page, 4)
  await page.keyboard.press('Escape')
  await expect.poll(() => page.getByRole('region', { name: 'Selection' }).count()).toBe(0)
  await head(page).click()
  await selected(page, 50)
  await expect.poll(() => head(page).isChecked()).toBe(true)
  await button(page, 'Clear selection').click()

  // By keys: from the name of a row, and back.
  await page.getByRole('link', { name: 'gw-0003', exact: true }).focus()
  await page.keyboard.press('x')
  await selected(page, 1)
  await page.keyboard.press('Shift+ArrowDown')
  await page.keyboard.press('Shift+ArrowDown')
  await selected(page, 3)
  await page.keyboard.press(' ')
  await selected(page, 2)
  // Escape in the bar leads back to the row, and clears there.
  await page.keyboard.press('.')
  await page.keyboard.press('Escape')
  await selected(page, 2)
  await page.keyboard.press('Escape')
  await expect.poll(() => page.getByRole('region', { name: 'Selection' }).count()).toBe(0)

  await selectBox(page, 'gw-0004').click()
  await button(page, 'Select all 120 matching').click()
  await selected(page, 120)
  await selectBox(page, 'gw-0007').click()
  await selected(page, 119)
  await button(page, 'Tags').click()
  const dialog = page.getByRole('alertdialog', { name: 'Tags of 119 devices' })
  await addTag(dialog, 'roof')
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: 'Tag 119 devices' }).click()
  await page.getByRole('heading', { name: 'Add tags roof' }).waitFor()
  await ended(page, 119)
  await expect.poll(() => matching({ tag: 'roof' })).toBe(119)

  // Another tab finds it from the list.
  const other = await page.context().newPage()
  await other.goto(list)
  await other.goto(list.replace(/list$/, 'jobs'))
  await other.getByRole('link', { name: 'Add tags roof' }).click()
  await ended(other, 119)
  await other.getByText('Done', { exact: true }).waitFor()

  await page.reload()
  await button(page, 'Undo').click()
  await page.getByRole('alertdialog', { name: 'Undo for 119 devices?' }).getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('heading', { name: 'Undo: Add tags roof' }).waitFor()
  await ended(page, 119)
  await expect.poll(() => matching({ tag: 'roof' })).toBe(0)
})

it('pauses, disables and enables, names what could not be moved, and decommissions after the number is typed', async () => {
  const { ines, list, matching } = await scene(6)
  const page = await visit(list, ines)
  const choose = async (...names: string[]) => {
    if (page.url() !== list) await page.goto(list)
    for (const name of names) await selectBox(page, name).click()
    await selected(page, names.length)
  }
  const more = async (entry: string) => {
    await button(page, 'More for the selected devices').click()
    await page.getByRole('menuitem', { name: entry }).click()
  }
  const confirm = (name: string) => page.getByRole('alertdialog').getByRole('button', { name, exact: true }).click()

  await choose('gw-0001', 'gw-0002')
  await button(page, 'Pause updates').click()
  await confirm('Pause 2 devices')
  await page.getByRole('heading', { name: /^Pause updates until/ }).waitFor()
  await ended(page, 2)

  await choose('gw-0001', 'gw-0002')
  await more('Disable…')
  await page.getByText('They still check in and report').waitFor()
  await confirm('Disable')
  await ended(page, 2)
  await expect.poll(() => matching({ lifecycle: 'disabled' })).toBe(2)
  await choose('gw-0001', 'gw-0002', 'gw-0003')
  await more('Enable…')
  await confirm('Enable')
  await ended(page, 3)
  await page.getByText('Unchanged 1', { exact: true }).waitFor()
  await expect.poll(() => matching({ lifecycle: 'active' })).toBe(6)

  await choose('gw-0001', 'gw-0002')
  await button(page, 'Move').click()
  await page.getByRole('alertdialog').getByRole('combobox', { name: 'Project' }).click()
  await page.getByRole('option', { name: 'Workshop' }).click()
  await page.getByText('Also move devices that trust no signing key there').click()
  await confirm('Move 2 devices')
  await page.getByRole('heading', { name: 'Move to Workshop' }).waitFor()
  await page.getByText('Done, 1 device failed').waitFor()
  await page.getByText('Failed 1', { exact: true }).click()
  await page.getByRole('row', { name: /gw-0001.*Failed.*This device has no token of its own/ }).waitFor()
  await page.getByRole('row', { name: /gw-0002/ }).waitFor({ state: 'detached' })
  expect(page.url()).toContain('result=failed')
  await expect.poll(() => matching()).toBe(5)
  await button(page, 'Undo').click()
  await confirm('Undo')
  await page.getByRole('heading', { name: 'Undo: Move to Workshop' }).waitFor()
  await ended(page, 1)
  await expect.poll(() => matching()).toBe(6)

  await choose('gw-0005', 'gw-0006')
  await button(page, 'Decommission').click()
  await page.getByText('This can never be undone').waitFor()
  const last = page.getByRole('alertdialog').getByRole('button', { name: 'Decommission 2 devices' })
  await expect.poll(() => last.isDisabled()).toBe(true)
  await page.getByRole('textbox', { name: 'Type 2 to confirm' }).fill('2')
  await last.click()
  await page.getByText('A decommission can never be undone.').waitFor()
  await ended(page, 2)
  await expect.poll(() => button(page, 'Undo').count()).toBe(0)
  await expect.poll(() => matching({ lifecycle: 'decommissioned' })).toBe(2)
})

it('refuses when other devices match than were seen, and a cancelled change says what it did', async () => {
  const { ines, list, projectId } = await scene(60)
  const page = await visit(list, ines)
  const ask = async () => {
    await selectBox(page, 'gw-0004').click()
    await button(page, /^Select all \d+ matching$/).click()
    await button(page, 'More for the selected devices').click()
    await page.getByRole('menuitem', { name: 'Turn updates off…' }).click()
  }
  await ask()
  const dialog = page.getByRole('alertdialog', { name: 'Turn updates off for 60 devices?' })
  await dialog.waitFor()
  await addDevices(projectId, 61, 5)
  // The list behind the dialog is read again: the dialog keeps what its reader has seen.
  await page.getByText('65 selected', { exact: true }).waitFor({ state: 'attached' })
  await dialog.getByRole('button', { name: 'Turn updates off' }).click()
  await page.getByText('65 devices match now, not 60. Look at the list again').waitFor()
  expect((await call(hosts().api, deviceJobs, { projectId }, { as: ines.token })).body.total).toBe(0)

  // One device is held by another change: the job does the others first.
  const release = await hosts().hold(`select from devices where name = 'gw-0050' for update`)
  try {
    await page.goto(list)
    await selectBox(page, 'gw-0001').waitFor()
    await ask()
    await button(page, 'Turn updates off').click()
    await page.getByText('64 of 65 devices').waitFor()
    await button(page, 'Cancel').click()
    await page.getByText('The 64 devices changed so far stay changed').waitFor()
    await button(page, 'Cancel bulk change').click()
    await page.getByText('64 devices had been changed and stay changed; 1 device was not reached.').waitFor()
  } finally {
    await release()
  }
  await page.getByText('Not reached 1', { exact: true }).click()
  await page.getByRole('row', { name: /gw-0050.*Not reached/ }).waitFor()
  await button(page, 'Undo').waitFor()
})

it('a bulk change whose answer was lost is the same job when it is started again', async () => {
  const { ines, list, projectId } = await scene(20)
  const page = await visit(list, ines)
  let lost = 0
  await page.route('**/devices/bulk', async (route) => {
    if (route.request().method() !== 'POST' || lost > 0) return route.fallback()
    lost += 1
    await route.fetch()
    return route.abort()
  })
  await selectBox(page, 'gw-0004').click()
  await button(page, /^Select all \d+ matching$/).click()
  await button(page, 'More for the selected devices').click()
  await page.getByRole('menuitem', { name: 'Turn updates off…' }).click()
  await button(page, 'Turn updates off').click()
  await page.getByText('The control center cannot be reached at the moment.').waitFor()
  expect(await button(page, 'Try again').count()).toBe(0)
  await button(page, 'Turn updates off').click()
  await ended(page, 20)
  expect([lost, (await call(hosts().api, deviceJobs, { projectId }, { as: ines.token })).body.total]).toEqual([1, 1])
})

it('on a phone the selection covers one line, and all changes are in its menu', async () => {
  const { ines, list } = await scene(60)
  const page = await visit(list, ines)
  await page.setViewportSize({ width: 390, height: 844 })
  await selectBox(page, 'gw-0002').click()
  await selected(page, 1)
  const bar = page.getByRole('region', { name: 'Selection' })
  expect((await bar.boundingBox())?.height).toBeLessThanOrEqual(64)
  await button(page, 'All 60 matching').click()
  await selected(page, 60)
  await button(page, 'Change the selected devices').click()
  await page.getByRole('menuitem', { name: 'Tags…' }).waitFor()
  expect(await page.getByRole('menuitem').allTextContents()).toEqual([
    'Tags…',
    'Pause updates…',
    'Resume updates…',
    'Turn updates off…',
    'Turn updates on…',
    'Enable…',
    'Disable…',
    'Move…',
    'Decommission…',
  ])
  // The bar stays where it is when the page scrolls, and so does its menu.
  expect(await scrolledBy600(page.getByRole('menuitem', { name: 'Decommission…' }))).toEqual({ page: 600, entry: 0 })

  // A dialog from a menu gives the focus back to the button of the menu, also if it was opened by two keys within one frame.
  await page.evaluate(() => {
    const next = window.requestAnimationFrame.bind(window)
    const held: FrameRequestCallback[] = []
    window.requestAnimationFrame = (callback) => held.push(callback)
    window.addEventListener('frames', () => {
      window.requestAnimationFrame = next
      for (const callback of held) callback(performance.now())
    })
  })
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await page.evaluate(() => window.dispatchEvent(new Event('frames')))
  await page.getByRole('textbox', { name: 'Type 60 to confirm' }).waitFor()
  const more = button(page, 'Change the selected devices')
  const cancel = async () => {
    await page.keyboard.press('Escape')
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    await expect.poll(() => more.evaluate((at) => at === document.activeElement)).toBe(true)
  }
  await cancel()
  await page.keyboard.press('Enter')
  await highlighted(page, 'Tags…', 'menuitem')
  await page.keyboard.press('End')
  await highlighted(page, 'Decommission…', 'menuitem')
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'Type 60 to confirm' }).waitFor()
  await cancel()
  await selected(page, 60)
})

const key = 'ab'.repeat(32)
/** Filters of the list, and how many devices each has to find. */
const filters = (count: number): [address: string, matching: number][] => {
  const each = (every: number) => Math.floor(count / every)
  return [
    ['lifecycle=disabled', each(5)],
    ['attr.kernel_version=6.1', each(3)],
    ['version_lt=7', each(4)],
    ['version_gt=7', count - each(4)],
    ['quarantined=true', each(50)],
    [`trusts_key=${key}`, each(100)],
    [`last_seen_before=${new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 19)}Z`, each(10)],
    ['tag=lab', each(20)],
    ['tag=lab&tag=yard&tag_mode=any', each(20) + each(25) - each(100)],
    ['tag=lab&tag=yard&tag_mode=all', each(100)],
    ['tag=lab&tag=yard&tag_mode=none', count - each(20) - each(25) + each(100)],
    ['q=gw-0001', 1],
    ['sort=-version&lifecycle=disabled&quarantined=true&attr.kernel_version=6.1', each(150)],
  ]
}

const number = `substr(name, 4)::int`

const describeDevices = (projectId: string, from: number, to: number) =>
  hosts().sql(
    `update devices set lifecycle = case when ${number} % 5 = 0 then 'disabled' else 'active' end,
       attributes = jsonb_build_object('kernel_version', case when ${number} % 3 = 0 then '6.1' else '5.15' end),
       installed_version = case when ${number} % 4 = 0 then 5 else 8 end,
       quarantine_until = case when ${number} % 50 = 0 then now() + interval '1 day' end,
       quarantine_reason = case when ${number} % 50 = 0 then '3 failed attempts of one release' end,
       trusted_keys = case when ${number} % 100 = 0 then array[$2] else '{}' end,
       last_seen_at = now() - case when ${number} % 10 = 0 then interval '3 days' else interval '1 minute' end
     where project_id = $1 and ${number} between $3 and $4`,
    [projectId, key, from, to],
  )

const addTags = async (projectId: string) => {
  for (const [name, every] of [
    ['lab', 20],
    ['yard', 25],
  ] as const)
    await hosts().sql(
      `with made as (
         insert into tags (id, created_at, updated_at, project_id, name, colour)
         select '01K' || upper(substr(md5($1 || $2), 1, 23)), now(), now(), $1, $2, 'moss' returning id
       )
       insert into device_tags (project_id, device_id, tag_id)
       select $1, devices.id, made.id from devices, made where project_id = $1 and ${number} % $3::int = 0`,
      [projectId, name, every],
    )
}

// So many that the kill is in the middle.
const fleet = repetitions(6000, 50_000)
const long = within(900_000)

it(
  'a whole fleet is filtered, tagged through a kill of the API process, and untagged; the page says how far',
  async () => {
    const { ines, list, projectId } = await scene(0)
    const batch = 2500
    for (let from = 1; from <= fleet; from += batch) {
      await addDevices(projectId, from, Math.min(batch, fleet - from + 1))
      await describeDevices(projectId, from, from + batch - 1)
    }
    await addTags(projectId)
    const figures: Record<string, number> = { devices: fleet }
    const timed = async (name: string, work: () => Promise<void>) => {
      const began = performance.now()
      await work()
      figures[name] = Math.round(performance.now() - began)
    }
    const page = await visit(list, ines)
    const headed = (count: number) => page.getByRole('heading', { name: `Devices ${formatCount(count)}`, exact: true }).waitFor()
    await headed(fleet)
    const all = filters(fleet)
    for (const [query, count] of isFull ? all : all.filter((_, n) => n % 4 === 0))
      await timed(query.replace(/[0-9a-f]{64}|[\d-]+T[\d:]+Z/, '…'), async () => {
        await page.goto(`${list}?${query}`)
        await headed(count)
      })

    await page.goto(list)
    await selectAll(page, 'gw-0001', fleet)
    await button(page, 'Tags').click()
    const dialog = page.getByRole('alertdialog', { name: `Tags of ${formatCount(fleet)} devices` })
    await addTag(dialog, 'roof')
    await page.keyboard.press('Escape')
    await timed('accepted', async () => {
      await dialog.getByRole('button', { name: `Tag ${formatCount(fleet)} devices` }).click()
      await page.getByRole('heading', { name: 'Add tags roof' }).waitFor()
    })
    const progress = progressOf(page, fleet, long)
    const whole = async () => {
      await progress.whole()
      await page.getByText('Done', { exact: true }).first().waitFor()
    }
    await timed('tagged', async () => {
      await expect.poll(progress.reached).toBeGreaterThan(fleet / 5)
      await hosts().kill('api')
      const before = await progress.reached()
      await whole()
      expect(before).toBeLessThan(fleet)
    })
    await page.getByText(`Changed ${formatCount(fleet)}`, { exact: true }).waitFor()
    expect(await page.getByText(/^(Failed|Not reached|Unchanged) [\d,]+$/).count()).toBe(0)
    await page.goto(`${list}?tag=roof`)
    await headed(fleet)

    await page.goBack()
    await button(page, 'Undo').click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('heading', { name: 'Undo: Add tags roof' }).waitFor()
    await timed('untagged', whole)
    // The tags that the devices had before are as they were.
    await page.goto(`${list}?tag=lab`)
    await headed(Math.floor(fleet / 20))
    expect((await call(hosts().api, listTags, { projectId }, { as: ines.token })).body.tags).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'roof', device_count: 0 })]),
    )

    if (isFull) {
      // A small fleet is changed before a person could cancel.
      await page.goto(list)
      await selectAll(page, 'gw-0001', fleet)
      await button(page, 'More for the selected devices').click()
      await page.getByRole('menuitem', { name: 'Turn updates off…' }).click()
      await button(page, 'Turn updates off').click()
      await expect.poll(progress.reached, { interval: 50 }).toBeGreaterThan(0)
      await button(page, 'Cancel').click()
      await button(page, 'Cancel bulk change').click()
      await page.getByText(/had been changed and stay changed; [\d,]+ devices were not reached\./).waitFor()
      const left = Number((await page.getByText(/^Not reached [\d,]+$/).textContent())?.replace(/\D/g, ''))
      await page.getByText(`Changed ${formatCount(fleet - left)}`, { exact: true }).waitFor()
      await page.getByText(/^Not reached [\d,]+$/).click()
      await page
        .getByRole('row', { name: /Not reached/ })
        .first()
        .waitFor()
      await mkdir('test-results', { recursive: true })
      await writeFile('test-results/bulk-changes-in-browser.json', `${JSON.stringify(figures, null, 2)}\n`)
    }
  },
  long * 2,
)

it('a viewer can select, and is told who may change devices', async () => {
  const { list, organizationId } = await scene(3)
  const vera = await newUser(hosts())
  await join(hosts(), organizationId, vera, 'viewer')
  const page = await visit(list, vera)
  await selectBox(page, 'gw-0001').click()
  await selected(page, 1)
  for (const name of ['Tags', 'Pause updates', 'Move', 'Decommission', 'More for the selected devices'])
    expect(await button(page, name).getAttribute('aria-disabled'), name).toBe('true')
  await button(page, 'Decommission').hover()
  await page
    .getByText('Needs “manage devices”. Roles that have it: owner, admin, developer, operator.')
    .filter({ visible: true })
    .waitFor()
})

it.runIf(pictures !== undefined)('pictures of the selection and of a job', async () => {
  await mkdir(pictures ?? '', { recursive: true })
  const { ines, list } = await scene(60)
  const page = await visit(list, ines)
  const save = async (name: string) => {
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 800 })
        await page.screenshot({ path: `${pictures}/${name}-${width}-${scheme}.png` })
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 })
  }
  for (const name of ['gw-0002', 'gw-0003', 'gw-0005', 'gw-0006']) await selectBox(page, name).click()
  await save('selection')
  await button(page, 'Decommission').click()
  await page.getByRole('alertdialog').waitFor()
  await save('decommission')
  await page.keyboard.press('Escape')
  await button(page, 'Move').click()
  await page.getByRole('alertdialog').getByRole('combobox', { name: 'Project' }).click()
  await page.getByRole('option', { name: 'Workshop' }).click()
  await save('move')
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: /^Move 4/ })
    .click()
  await page.getByText('4 of 4 devices').waitFor()
  await save('job')
  await page.goto(list.replace(/list$/, 'jobs'))
  await page.getByRole('link', { name: 'Move to Workshop' }).waitFor()
  await save('jobs')
})
