import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { generateSigningKey } from '../../contract/device/private-key'
import { pemOf } from '../../contract/device/public-key'
import { createDevice, devices } from '../../contract/fleet/devices'
import { createSigningKey } from '../../contract/fleet/keys'
import { createOrganization } from '../../contract/accounts/organization'
import { createOrganizationProject, updateProject } from '../../contract/accounts/project-changes'
import { createTag } from '../../contract/fleet/tags'
import { seedDevices, seedTelemetry, settle } from '../../server/seed/large.repository'
import { formatCount } from '../../src/lib/amounts'
import { pluralize } from '../../src/lib/pluralize'
import { isFull, repetitions } from '../support/counts'
import { addFilter, choose } from './support/add-filter'
import type { Locator, Page } from './support/browser'
import { addTag, button, progressOf, selectAll, tokensFor } from './support/bulk'
import { call } from './support/call'
import { useConsole } from './support/console'
import { subscriber, type Visitor } from './support/hosts'
import { within } from '../support/machine-load'

const { hosts, open } = useConsole({})

const fleet = repetitions(1200, 50_000)
const lines = repetitions(20_000, 1_000_000)
const imported = repetitions(400, 5000)
/** Of a job over all devices, and of reading a log from its end to its beginning. */
const long = within(900_000)

const day = 86_400_000
const models = ['gw-imx8m', 'cam-rk3566', 'hmi-am62x', 'sens-esp32s3']
const numbers = Array.from({ length: fleet }, (_, index) => index + 1)
/** How many devices have a number like this. */
const count = (matches: (n: number) => boolean) => numbers.filter(matches).length
const nameOf = (n: number) => `Device ${String(n).padStart(6, '0')}`
/** The line with a text that no other has, three quarters back. */
const rareLine = Math.floor(lines / 4)
const rareText = 'Out of memory: Killed process 412 (modemd)'

let ines: Visitor
let now: Date
let organizationId: string
let projectId: string
let workshopId: string

const addProject = async (name: string) =>
  (await call(hosts().api, createOrganizationProject, { organizationId }, { as: ines.token, body: { name } })).body.id
const pageOf = (path: string, project = projectId) =>
  `${hosts().console}/organizations/${organizationId}/projects/${project}/${path}`
const deviceIdOf = async (name: string) => {
  const address = `${hosts().api}/projects/${projectId}/devices?${new URLSearchParams({ q: name }).toString()}`
  const answer = (await (await fetch(address, { headers: { 'x-session-token': ines.token } })).json()) as {
    devices: { id: string }[]
  }
  return answer.devices[0]?.id ?? ''
}

/** What the seed of a large fleet leaves out: keys, quarantine, devices unseen for days, tags and tokens. */
const describeFleet = async (fingerprint: string) => {
  const { sql } = hosts()
  const number = `right(name, 6)::int`
  await sql(`update devices set trusted_keys = array[$2] where project_id = $1 and ${number} % 10 = 0`, [projectId, fingerprint])
  await sql(
    `update devices set quarantine_until = now() + interval '1 day', quarantine_reason = '3 failed attempts of one release'
     where project_id = $1 and ${number} % 50 = 0`,
    [projectId],
  )
  await sql(`update devices set last_seen_at = now() - interval '3 days' where project_id = $1 and ${number} % 40 = 0`, [
    projectId,
  ])
  for (const [name, every] of [
    ['roof', 4],
    ['lab', 6],
  ] as const) {
    const body = { name, colour: 'moss' as const }
    const { id } = (await call(hosts().api, createTag, { projectId }, { as: ines.token, body })).body
    await sql(
      `insert into device_tags (project_id, device_id, tag_id) select $1, id, $2 from devices where project_id = $1 and ${number} % $3 = 0`,
      [projectId, id, every],
    )
    await sql(
      `insert into group_metrics (project_id, name, kind, value, step_s, at, n, sum, min, max, bins, counts)
       select project_id, name, kind, $2, step_s, at, n, sum, min, max, bins, counts from group_metrics
       where project_id = $1 and kind = 'tag' and value = ''`,
      [projectId, id],
    )
  }
  await sql(tokensFor(`${number} % 40 = 7 and ${number} <> 47`), [projectId])
}

beforeAll(async () => {
  ines = await subscriber(hosts())
  const { api, db } = hosts()
  const as = ines.token
  organizationId = (await call(api, createOrganization, {}, { as, body: { name: 'Orchard' } })).body.public_id
  projectId = await addProject('Field')
  workshopId = await addProject('Workshop')
  const hardware_models = models.map((id) => ({ id, name: id, platform: 'linux', slots: 'ab' as const }))
  await call(api, updateProject, { projectId }, { as, body: { settings: { hardware_models } }, headers: { 'if-match': '"1"' } })
  const { publicKey } = await generateSigningKey('ed25519')
  const key = { name: 'Field key', algorithm: 'ed25519' as const, public_key_pem: pemOf(publicKey) }
  await call(api, createSigningKey, { projectId }, { as, body: key })
  for (const name of [nameOf(7), 'vent-0433'])
    await call(api, createDevice, { projectId: workshopId }, { as, body: { name, hardware_model: 'gw-imx8m' } })
  now = new Date()
  await seedDevices(db, { projectId, devices: fleet, now, trustedKeys: [] })
  await seedTelemetry(db, { projectId, devices: fleet, now, hours: 24, logLines: lines, logged: 1, measured: 1 })
  await describeFleet(publicKey.fingerprint)
  await hosts().sql(`update device_logs set message = $2 where project_id = $1 and sequence = $3`, [
    projectId,
    rareText,
    rareLine,
  ])
  await settle(db, new Date())
})

const figures: Record<string, number> = { devices: fleet, log_lines: lines }
/** How long a step took that a person waits for, in milliseconds. */
const timed = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
  const began = performance.now()
  const result = await work()
  figures[name] = Math.round(performance.now() - began)
  return result
}
afterAll(async () => {
  if (!isFull) return
  await mkdir('test-results', { recursive: true })
  await writeFile('test-results/at-scale.json', `${JSON.stringify(figures, null, 2)}\n`)
})

const headed = (page: Page, matching: number) =>
  page.getByRole('heading', { name: `Devices ${formatCount(matching)}`, exact: true }).waitFor()
const openPage = async (address: string) => {
  const page = await (await open(ines)).newPage()
  await page.goto(address)
  return page
}
const openList = async (query = '', matching = fleet) => {
  const page = await openPage(pageOf('devices/list') + query)
  await headed(page, matching)
  return page
}

const pick = (label: string, option: string | RegExp) => async (form: Locator) => {
  await form.getByRole('combobox', { name: label }).press('Enter')
  await form.page().getByRole('option', { name: option, exact: true }).click()
}
const type = (values: Record<string, string>) => async (form: Locator) => {
  for (const [label, value] of Object.entries(values)) await form.getByLabel(label, { exact: true }).fill(value)
}
const tagged = (mode: string) => async (form: Locator) => {
  for (const name of ['roof', 'lab']) await choose(form.getByRole('combobox', { name: 'Tags' }), name)
  await form.getByRole('radio', { name: mode }).press('Space')
}
const yesterday = () => {
  const date = new Date(Date.now() - day)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
type Filter = [name: string, field: string, fill: (form: Locator) => Promise<void>, matches: (n: number) => boolean]
const filters: Filter[] = [
  ['any tag', 'Tag', tagged('Any'), (n) => n % 4 === 0 || n % 6 === 0],
  ['all tags', 'Tag', tagged('All'), (n) => n % 12 === 0],
  ['no tag', 'Tag', tagged('None'), (n) => n % 4 !== 0 && n % 6 !== 0],
  ['lifecycle', 'Lifecycle', pick('Value', 'Pending'), (n) => n % 500 === 0],
  ['connectivity', 'Connectivity', pick('Value', 'Offline'), (n) => n % 40 === 0],
  ['update', 'Update', pick('Value', 'In progress'), (n) => n % 8 === 3],
  ['health', 'Health', pick('Value', 'Critical'), (n) => n % 10 === 9],
  ['model', 'Model', pick('Model', /^cam-rk3566, /), (n) => n % 5 === 2],
  ['version', 'Version', type({ Version: '2.3' }), (n) => n % 7 === 3],
  ['version above', 'Version above', type({ 'Version number': '5' }), (n) => 1 + (n % 7) > 5],
  ['version below', 'Version below', type({ 'Version number': '3' }), (n) => 1 + (n % 7) < 3],
  ['last seen', 'Last seen before', type({ Date: yesterday() }), (n) => n % 40 === 0],
  ['quarantine', 'Quarantine', pick('Value', 'Yes'), (n) => n % 50 === 0],
  [
    'key',
    'Trusts key',
    async (form) => {
      await form.getByRole('combobox', { name: 'Key' }).press('Enter')
      await form
        .page()
        .getByRole('option', { name: /^Field key/ })
        .click()
    },
    (n) => n % 10 === 0,
  ],
  ['attribute', 'Attribute', type({ Name: 'kernel_version', Value: '6.6.7' }), (n) => n % 40 === 7],
]

it('each field of the filter form finds the devices of a whole fleet that have the value', async () => {
  const page = await openList()
  for (const [name, field, fill, matches] of filters) {
    await timed(`filter by ${name}`, async () => {
      await addFilter(page, field, fill)
      await headed(page, count(matches))
    })
    await page.getByRole('button', { name: /^Clear / }).click()
    await headed(page, fleet)
  }
  await page.getByRole('searchbox', { name: 'Filter' }).fill(nameOf(fleet - 1))
  await headed(page, 1)
  await page.getByRole('link', { name: nameOf(fleet - 1) }).waitFor()
})

const header = (page: Page, name: string) => page.getByRole('columnheader', { name, exact: true })

it('a click on a header sorts a whole fleet by its column, and another one backwards', async () => {
  const page = await openList()
  // What the number of the first device is in both orders.
  const orders: [column: string, ascending: (n: number) => boolean, descending: (n: number) => boolean][] = [
    ['Model', (n) => n % 5 === 2, (n) => n % 5 === 4],
    ['Version', (n) => n % 7 === 0, (n) => n % 7 === 6],
    ['Health', (n) => n % 10 === 9, (n) => n % 10 !== 7 && n % 10 !== 9],
    ['Last seen', (n) => n % 40 === 0, (n) => n % 3600 === 1],
    ['Name', (n) => n === 1, (n) => n === fleet],
  ]
  const first = async () => Number((await page.locator('tr[data-index="0"] a').textContent())?.slice(-6))
  for (const [column, ...matches] of orders)
    for (const [index, order] of ['ascending', 'descending'].entries())
      await timed(`sort by ${column.toLowerCase()}, ${order}`, async () => {
        await header(page, column).getByRole('button', { name: column, exact: true }).click()
        await page.locator(`th[aria-sort=${order}]`, { hasText: column }).waitFor()
        await expect.poll(async () => matches[index]?.(await first())).toBe(true)
      })
})

it('a saved view of a whole fleet opens with its filters, order and columns', async () => {
  const isChosen = (n: number) => n % 6 === 0 && n % 50 === 0
  const page = await openList('?tag=lab&quarantined=true&sort=-name', count(isChosen))
  await button(page, 'Columns').click()
  await page.getByRole('checkbox', { name: 'Serial number' }).click()
  await page.keyboard.press('Escape')
  await button(page, 'All devices').click()
  await page.getByRole('menuitem', { name: 'Save view…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save view' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Quarantine in the lab')
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await button(page, 'Quarantine in the lab').waitFor()

  const other = await openList()
  await timed('saved view', async () => {
    await button(other, 'All devices').click()
    await other.getByRole('menuitem', { name: 'Quarantine in the lab' }).click()
    await headed(other, count(isChosen))
  })
  await header(other, 'Serial number').waitFor()
  const last = numbers.findLast(isChosen) ?? 0
  await other.locator('tr[data-index="0"]', { hasText: nameOf(last) }).waitFor()
})

it('an export has a row for each device of a whole fleet, as CSV and as NDJSON', async () => {
  const page = await openList()
  const save = async (item: string) => {
    await button(page, 'More').click()
    const [file] = await Promise.all([
      page.waitForEvent('download', { timeout: long }),
      page.getByRole('menuitem', { name: item }).click(),
    ])
    return readFile(await file.path(), 'utf8')
  }
  const csv = (await timed('export as CSV', () => save('Export as CSV'))).trimEnd().split('\r\n')
  expect(csv).toHaveLength(fleet + 1)
  expect(csv.slice(1).map((line) => line.split(',')[1])).toEqual(numbers.map(nameOf))
  const rows = (await timed('export as NDJSON', () => save('Export as NDJSON'))).trimEnd().split('\n')
  expect(rows.map((row) => (JSON.parse(row) as { name: string }).name)).toEqual(numbers.map(nameOf))
})

it('a file of many devices is checked line by line, and what is right in it is imported', async () => {
  const page = await openPage(pageOf('devices/import', workshopId))
  const token = 'token-of-an-imported-camera'
  const row = (n: number) => `cam-${n},${n % 100 === 0 ? 'has space' : token}-${n}`
  const text = ['controller_id,security_token', ...Array.from({ length: imported }, (_, n) => row(n + 1))].join('\n')
  const wrong = Math.floor(imported / 100)
  await page.locator('input[type=file]').setInputFiles({ name: 'cameras.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
  await page.getByLabel('Hardware model').fill('cam-rk3566')
  await timed('check of an import', async () => {
    await button(page, 'Check').click()
    await page.getByRole('table', { name: 'Lines with errors' }).waitFor({ timeout: long })
  })
  const errors = page.getByRole('table', { name: 'Lines with errors' }).getByRole('row')
  await expect.poll(() => errors.count()).toBe(1 + Math.min(50, wrong))
  await errors.nth(1).getByText('cam-100', { exact: true }).waitFor()
  expect((await call(hosts().api, devices, { projectId: workshopId }, { as: ines.token })).body.total).toBe(2)
  await timed('import', async () => {
    await button(page, `Import ${pluralize(imported - wrong, 'device')}`).click()
    await page.getByText(`${pluralize(imported - wrong, 'device')} imported.`).waitFor({ timeout: long })
  })
  await page.getByRole('link', { name: 'Show them' }).click()
  await headed(page, imported - wrong)
})

type Change = {
  name: string
  /** The list of the selection, and how many are in it. */
  query?: string
  matches: (n: number) => boolean
  /** Those that fail. */
  fails?: (n: number) => boolean
  title: string | RegExp
  start: (page: Page) => Promise<void>
  /** The filter that finds what was changed, and nothing else. */
  after?: string
}
const confirm = (page: Page, name: string) => page.getByRole('alertdialog').getByRole('button', { name, exact: true }).click()
const devicesOf = (matches: (n: number) => boolean) => pluralize(count(matches), 'device')
const isGateway = (n: number) => n % 5 < 2
const changes: Change[] = [
  {
    name: 'tag',
    query: '?version=2.3',
    matches: (n) => n % 7 === 3,
    title: 'Add tags lab',
    start: async (page) => {
      await button(page, 'Tags').click()
      await addTag(page.getByRole('alertdialog'), 'lab')
      await page.keyboard.press('Escape')
      await confirm(page, `Tag ${devicesOf((n) => n % 7 === 3)}`)
    },
    after: '?version=2.3&tag=lab',
  },
  {
    name: 'pause',
    matches: () => true,
    title: /^Pause updates until/,
    start: async (page) => {
      await button(page, 'Pause updates').click()
      await confirm(page, `Pause ${devicesOf(() => true)}`)
    },
  },
  {
    name: 'disable',
    query: '?hardware_model=gw-imx8m',
    matches: isGateway,
    // Those that wait for their acceptance.
    fails: (n) => n % 500 === 0,
    title: 'Disable',
    start: async (page) => {
      await button(page, 'More for the selected devices').click()
      await page.getByRole('menuitem', { name: 'Disable…' }).click()
      await confirm(page, 'Disable')
    },
    after: '?lifecycle=disabled',
  },
  {
    name: 'move',
    query: '?attr.kernel_version=6.6.7',
    matches: (n) => n % 40 === 7,
    // The name of one is taken there, and one has no token.
    fails: (n) => n === 7 || n === 47,
    title: 'Move to Workshop',
    start: async (page) => {
      await button(page, 'Move').click()
      await page.getByRole('alertdialog').getByRole('combobox', { name: 'Project' }).click()
      await page.getByRole('option', { name: 'Workshop' }).click()
      await page.getByText('Also move devices that trust no signing key there').click()
      await confirm(page, `Move ${devicesOf((n) => n % 40 === 7)}`)
    },
  },
]

it.each(changes)(
  'a bulk change by $name counts the devices of its filter, and its undo gives each back what it had',
  async (change) => {
    const { name, query = '', matches, fails = () => false, title, start, after } = change
    const total = count(matches)
    const failed = count((n) => matches(n) && fails(n))
    const shown = (result: string, devicesShown: number) =>
      page.getByText(`${result} ${formatCount(devicesShown)}`, { exact: true }).waitFor()
    const page = await openList(query, total)
    const unchanged = after === '?version=2.3&tag=lab' ? count((n) => n % 7 === 3 && n % 6 === 0) : 0
    await selectAll(page, nameOf(numbers.find(matches) ?? 0), total)
    await timed(`${name}: ${formatCount(total)} accepted`, async () => {
      await start(page)
      await page.getByRole('heading', { name: title }).waitFor()
    })
    const whole = async (counted: number) => {
      await progressOf(page, counted, long).whole()
      await page.getByText(/^Done/).first().waitFor()
    }
    await timed(`${name}: ${formatCount(total)} changed`, () => whole(total))
    const changed = total - failed - unchanged
    await shown('Changed', changed)
    if (failed > 0) await shown('Failed', failed)
    if (unchanged > 0) await shown('Unchanged', unchanged)
    const address = page.url()
    if (after !== undefined) {
      await page.goto(pageOf('devices/list') + after)
      await headed(page, changed + unchanged)
      await page.goto(address)
    }
    await button(page, 'Undo').click()
    await confirm(page, 'Undo')
    await page.getByRole('heading', { name: /^Undo: / }).waitFor()
    await timed(`${name}: ${formatCount(changed)} undone`, () => whole(changed))
    await shown('Changed', changed)
    await page.goto(pageOf('devices/list'))
    await headed(page, fleet)
    if (after === undefined) return
    await page.goto(pageOf('devices/list') + after)
    await (unchanged > 0 ? headed(page, unchanged) : page.getByText('Not Found').first().waitFor())
  },
)

const row = (page: Page, sequence: number) => page.locator(`#line-${sequence}`)
const firstShown = async (page: Page) => Number(await page.locator('[data-sequence]').first().getAttribute('data-sequence'))
const elements = (page: Page) => page.evaluate(() => document.querySelectorAll('main *').length)

it('a long log is opened at a time, searched for a text, linked to by line, and scrolled to its beginning', async () => {
  const page = await openPage(pageOf(`devices/list/${await deviceIdOf(nameOf(1))}/system-logs`))
  await timed('log opened', () => row(page, lines).waitFor())

  const middle = new Date(now.getTime() - day / 2)
  const zone = middle.getTimezoneOffset() * 60_000
  const local = new Date(middle.getTime() - zone).toISOString().slice(0, 19)
  await button(page, 'Jump to time').click()
  await page.getByLabel('Time', { exact: true }).fill(local)
  await timed('jump to a time', async () => {
    await button(page, 'Jump').click()
    // The lines of a day are at equal distances; a second of them, and what is in view.
    await expect.poll(async () => Math.abs((await firstShown(page)) - lines / 2)).toBeLessThan(lines / 80_000 + 200)
  })

  await page.goto(page.url().replace(/\?.*$/, ''))
  await row(page, lines).waitFor()
  await timed('search of a text', async () => {
    await page.getByLabel('Filter by text').fill('Killed process 412')
    await row(page, rareLine).waitFor({ timeout: long })
  })
  await expect.poll(() => page.locator('[data-sequence]').count()).toBe(1)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await row(page, rareLine).click()
  await row(page, rareLine).getByRole('button', { name: 'Copy link to the line' }).click()
  const link = await page.evaluate(() => navigator.clipboard.readText())
  await timed('link to a line', async () => {
    await page.goto(link)
    await row(page, rareLine).getByText(rareText).waitFor()
  })
  await expect.poll(() => row(page, rareLine).getAttribute('data-linked')).toBe('true')

  const grid = page.getByRole('treegrid', { name: 'Log lines' })
  await grid.hover()
  const goal = Math.max(1, rareLine - repetitions(3000, 20_000))
  await timed(`scrolled over ${formatCount(rareLine - goal)} lines`, () =>
    expect
      .poll(
        async () => {
          await page.mouse.wheel(0, -20_000)
          expect(await elements(page)).toBeLessThan(500)
          return firstShown(page)
        },
        { timeout: long, interval: 20 },
      )
      .toBeLessThanOrEqual(goal),
  )
  await grid.focus()
  await page.keyboard.press('Home')
  await timed('beginning of the log', () => row(page, 1).waitFor())
})

it('Monitor groups the metrics of a whole fleet by tag, model and version, and has p95 in its table', async () => {
  const page = await openPage(pageOf('monitor'))
  const chart = page.getByRole('figure', { name: /CPU used/ })
  await timed('Monitor', () => page.getByRole('img', { name: /^CPU used: CPU used p50 last/ }).waitFor())
  await chart.getByRole('button', { name: 'Show CPU used as a table' }).click()
  const table = page.getByRole('table', { name: 'CPU used' })
  await table.waitFor()
  const [head, first] = await table.evaluate((element) =>
    [...element.querySelectorAll('tr')].map((one) => [...one.cells].map((cell) => cell.innerText)),
  )
  expect(head).toEqual(['Time', 'CPU used p50', 'CPU used p95'])
  const [, p50 = 0, p95 = 0] = (first ?? []).map((cell) => Number.parseFloat(cell))
  expect(p95).toBeGreaterThan(p50)
  await chart.getByRole('button', { name: 'Show CPU used as a chart' }).click()
  for (const [group, groups] of [
    ['By tag', ['No tag', 'lab', 'roof']],
    ['By model', models.toSorted()],
    ['By version', ['2.0', '2.6']],
  ] as const)
    await timed(`Monitor ${group.toLowerCase()}`, async () => {
      await page.getByRole('combobox', { name: 'Group by' }).click()
      await page.getByRole('option', { name: group }).click()
      for (const one of groups) await page.getByRole('img', { name: new RegExp(`^CPU used: .*${one} last`) }).waitFor()
    })
})

it('the palette finds a device of another project beside a whole fleet', async () => {
  const page = await openPage(pageOf('monitor'))
  await page.getByRole('heading', { name: 'Monitor' }).waitFor()
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'Search or jump to' })
  await timed('palette', async () => {
    await palette.getByRole('combobox').fill('vent-0433')
    await palette
      .getByRole('group', { name: 'Devices in other projects' })
      .getByRole('option', { name: /vent-0433/ })
      .waitFor()
  })
  await palette.getByRole('option', { name: /vent-0433/ }).click()
  await page.getByRole('heading', { name: 'vent-0433' }).waitFor()
})
