import { expect, it } from 'vitest'
import { createOrganization } from '../../../contract/accounts/organization'
import { storageKeys } from '../../../src/lib/storage-keys'
import type { BrowserContext, Page } from '../support/browser'
import { call } from '../support/call'
import { useConsole } from '../support/console'
import { subscriber, type Visitor } from '../support/hosts'
import { within } from '../../support/machine-load'

const { hosts, open } = useConsole()

const statuses = [401, 403, 404] as const
type Status = (typeof statuses)[number]
type Row = { current: Status; first: Status; personal: Status; kind: 'projects' | 'permissions' }
/** Every triple; the refused call alternates, so that each status occurs for both calls in each position. */
const rows: Row[] = statuses
  .flatMap((current) => statuses.flatMap((first) => statuses.map((personal) => ({ current, first, personal }))))
  .map((row, at) => ({ ...row, kind: at % 2 === 0 ? 'projects' : 'permissions' }))

const query = '?experimental=true&from=mail'
const notice = "You don't have access to this organization or it no longer exists."
const refusal = (status: Status) => ({ status, json: { error: { code: 'refused', message: 'Refused', details: [] } } })

/** All navigations of a page, without those that do not change the URL. */
const travels = (page: Page) => {
  const places: string[] = []
  page.on('framenavigated', (frame) => {
    if (frame.parentFrame() === null && frame.url() !== places.at(-1)) places.push(frame.url())
  })
  return places
}

/** Records every notice that appears on the page, one entry each. */
const hearNotices = async (context: BrowserContext) => {
  const heard: string[] = []
  await context.exposeFunction('hearNotice', (text: string) => void heard.push(text))
  await context.addInitScript(() => {
    const told = new WeakSet<Element>()
    new MutationObserver(() => {
      for (const notice of document.querySelectorAll('[data-scope=toast][data-part=title]'))
        if (!told.has(notice)) {
          told.add(notice)
          Reflect.get(window, 'hearNotice')(notice.textContent)
        }
    }).observe(document, { subtree: true, childList: true })
  })
  return heard
}

const organizationOf = async ({ token }: Visitor, name: string) =>
  (await call(hosts().api, createOrganization, {}, { as: token, body: { name } })).body.public_id

/** Refuses one call of both organizations and the person's projects; the others are answered normally. */
const refuse = async (page: Page, { lost, next }: World, row: Row) => {
  const path = row.kind === 'projects' ? 'projects' : 'members/self/permissions'
  await page.route(`${hosts().api}/organizations/${lost}/${path}`, (route) => route.fulfill(refusal(row.current)))
  await page.route(`${hosts().api}/organizations/${next}/${path}`, (route) => route.fulfill(refusal(row.first)))
  await page.route(`${hosts().api}/projects`, (route) => route.fulfill(refusal(row.personal)))
}

/** A profile in which every page starts signed in, regardless of earlier ones. */
const prepare = async () => {
  const ines = await subscriber(hosts())
  const next = await organizationOf(ines, 'Alder')
  const lost = await organizationOf(ines, 'Birch')
  const context = await open()
  await context.addInitScript(
    ([origin, key, token]) => {
      if (location.origin === origin) localStorage.setItem(key, token)
    },
    [hosts().console, storageKeys.session, ines.token] as const,
  )
  return { context, next, lost, heard: await hearNotices(context) }
}
type World = Awaited<ReturnType<typeof prepare>>

/** The effects of one row on a page, from the organization's URL to the end. */
const lose = async (world: World, row: Row, from: string) => {
  const page = await world.context.newPage()
  world.heard.length = 0
  const places = travels(page)
  const trials: string[] = []
  page.on('request', (request) => {
    const [, who, what] = /\/organizations\/(\w+)\/(projects|members)/.exec(request.url()) ?? []
    if (request.method() === 'GET' && who === world.next && what) trials.push(what)
  })
  await refuse(page, world, row)
  await page.goto(from)
  if (row.personal === 401) await page.waitForURL(`${hosts().signIn}/signin**`)
  else {
    await page.getByText(notice).waitFor()
    await page
      .getByRole('heading', { name: row.personal === 403 ? 'Unauthorized' : 'The Requested Resource Cannot Be Found' })
      .waitFor()
  }
  await page.close()
  const [first, second, ...more] = places
  return { ...row, notices: [...world.heard], from: first, to: second, more: more.length, trials: trials.toSorted() }
}

it(
  'F-09: a user refused by an organization, the next one and the personal space is redirected once with one notice',
  { timeout: within(300_000) },
  async () => {
    const world = await prepare()
    const from = `${hosts().console}/organizations/${world.lost}/projects${query}`
    const to = `${hosts().console}/organizations/none/projects${query}`
    const seen: unknown[] = []
    for (const row of rows) seen.push(await lose(world, row, from))
    expect(seen).toEqual(
      rows.map((row) => ({
        ...row,
        // A 401 of the personal space ends the session: there is one more navigation, to sign-in, and no page for a notice.
        notices: row.personal === 401 ? [] : [notice],
        from,
        to,
        more: row.personal === 401 ? 1 : 0,
        trials: ['members', 'projects'],
      })),
    )
  },
)

it('the next accessible organization takes over, for every refusal status of the first', async () => {
  const world = await prepare()
  const from = `${hosts().console}/organizations/${world.lost}/projects${query}`
  const to = `${hosts().console}/organizations/${world.next}/projects${query}`
  for (const current of statuses) {
    const page = await world.context.newPage()
    world.heard.length = 0
    const places = travels(page)
    await page.route(`${hosts().api}/organizations/${world.lost}/projects`, (route) => route.fulfill(refusal(current)))
    await page.goto(from)
    await page.getByText(notice).waitFor()
    await page.getByRole('button', { name: 'Organization: Alder' }).waitFor()
    await page.getByText('No projects').waitFor()
    expect([places, world.heard]).toEqual([[from, to], [notice]])
    await page.close()
  }
})
