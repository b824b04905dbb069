import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from './support/browser'
import { beforeAll, expect, it, vi } from 'vitest'
import { isFull, repetitions } from '../support/counts'
import { isIndex, isPage, readRoutes, type Route } from '../support/routes'
import { failReads } from './every-route/fail-reads'
import { openPageCheck, says, textOf, withAxe } from './every-route/check-page'
import { payloads, seedPayloads } from './every-route/payloads'
import { checkInThemes } from './every-route/check-in-themes'
import { type Visit, visits } from './every-route/visits'
import { bare, busy, fresh, type Dataset } from './every-route/datasets'
import { useConsole } from './support/console'
import { root } from './support/product'
import { within } from '../support/machine-load'

const { hosts, open } = useConsole()
let atWork: Dataset
beforeAll(async () => {
  atWork = await busy(hosts())
})

const routes = readRoutes()
const places = routes.filter(isPage)

let pictures = 0
/** A route has several pictures. */
const pictureOf = (mode: Mode, { fullPath }: Route) => `${mode} ${fullPath.slice(1).replaceAll('/', '.')} ${(pictures += 1)}`

type Mode = 'data' | 'empty' | 'error'
type Stop = { place: Route; visit: Visit; href: string }

/** The title has the name of the innermost object of the path, its own label if it has one, and the product. */
const checkTitle = async (page: Page, { fullPath, options }: Route, names: Dataset['names']): Promise<string[]> => {
  // Under `/organizations/$organizationId` the projects are listed, and the switcher names the organization.
  const parameters = [...fullPath.replace('/organizations/$organizationId/projects', '').matchAll(/\$(\w+)/g)]
  const [, object = ''] = parameters.findLast(([, name = '']) => names[name] !== undefined) ?? []
  const label = options.staticData?.label
  // The first page of a visit gets its title after it is drawn.
  if (label !== undefined)
    await vi.waitFor(async () => expect(await page.title()).toContain(label), within(1000)).catch(() => undefined)
  const parts = (await page.title()).split(' · ')
  const isRight =
    parts.at(-1) === 'Teasel' &&
    (label === undefined || parts.at(-2) === label) &&
    (object === '' || (parts.length === 3 && parts[0]?.startsWith(names[object] ?? '')))
  return isRight ? [] : [`is titled ${parts.join(' · ')}`]
}

/** Visits all of its stops in one document. */
const lane = async (mode: Mode, { visitor, names }: Dataset, stops: readonly Stop[]): Promise<string[]> => {
  const context = await open(visitor)
  await withAxe(context)
  const failing = mode === 'error' ? await failReads(context, hosts().api) : undefined
  const page = await context.newPage()
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  const look = openPageCheck(page)
  const findings: string[] = []
  // Another route requests the same data again.
  await page.goto(`${hosts().console}/account/settings/organizations/add`)
  await look.settle()
  const visitOne = async ({ place, visit, href }: Stop): Promise<string[]> => {
    failing?.at(place)
    await look.go(href)
    if (failing && !visit.asksNothing) {
      // On a loaded machine a page can be idle before its first effect has run. A page that never requests is found below.
      await vi.waitFor(() => expect(failing.refused()).not.toEqual([]), { timeout: within(30_000) }).catch(() => undefined)
      await look.settle()
    }
    const wanted = visit[mode] ?? (mode === 'error' ? 'Try again' : visit.heading)
    const isComplete = (failing && visit.asksNothing) || (await says(page, wanted))
    const heading = (await page.locator('h1').allInnerTexts()).join()
    const asked = failing?.refused() ?? []
    const failed = asked.length > 0 ? ` when ${asked.join()} fail` : ''
    const missing = isComplete ? [] : [`does not say ${wanted}${failed}, but ${await textOf(page)}`]
    const silent =
      failing && (visit.asksNothing ?? false) !== (asked.length === 0) ? [`asked for ${asked.join() || 'nothing'}`] : []
    const misled = failing || heading.startsWith(visit.heading) ? [] : [`is headed ${heading}`]
    const untitled = failing ? [] : await checkTitle(page, place, names)
    // Without data a page differs little from its width or theme.
    const widths = mode === 'data' || isFull ? 'both' : 'one each'
    const looks = await checkInThemes(page, look.settle, pictureOf(mode, place), widths)
    return [...missing, ...silent, ...misled, ...untitled, ...looks]
  }
  for (const stop of stops) {
    const found = await visitOne(stop).catch((error: unknown) => [String(error)])
    findings.push(...found.map((one) => `${stop.place.fullPath}: ${one}`))
  }
  return findings
}

const stopsOf = ({ addressesOf }: Dataset, mode: Mode): Stop[] =>
  places.flatMap((place) => {
    const visit = visits[place.fullPath]
    if (!visit || (visit.around && (mode !== 'error' || visit.asksNothing))) return []
    const hrefs = addressesOf(place.fullPath).map((href) => ({ place, visit, href }))
    return mode === 'error' ? hrefs.slice(0, 1) : hrefs
  })

/** Two pages at a time: a machine with two cores is then fully used. */
const walk = async (mode: Mode, ...worlds: Dataset[]): Promise<string[]> => {
  const lanes = worlds.flatMap((world) => {
    const stops = stopsOf(world, mode)
    const half = Math.ceil(stops.length / 2)
    return [stops.slice(0, half), stops.slice(half)].map((part) => ({ world, part }))
  })
  const findings: string[] = []
  const next = async (): Promise<void> => {
    const one = lanes.shift()
    if (!one) return
    findings.push(...(await lane(mode, one.world, one.part)))
    await next()
  }
  await Promise.all([next(), next()])
  return findings
}

it('every route of the console is visited, and nothing else', () => {
  expect(Object.keys(visits).toSorted()).toEqual(places.map(({ fullPath }) => fullPath).toSorted())
})

it('no route breaks a rule of axe or scrolls sideways with data, in light and dark, wide and narrow', async () => {
  expect(await walk('data', atWork)).toEqual([])
})

it('no route does so without data', async () => {
  expect(await walk('empty', await fresh(hosts()), await bare(hosts()))).toEqual([])
})

it('no route does so when its reads are answered 500, and each that reads offers to try again', async () => {
  expect(await walk('error', atWork)).toEqual([])
})

/** `from → to` of the route map, which the route tree is compared with. */
const leads = new Map(
  readFileSync(join(root, 'docs/routes.md'), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, from = '', to = ''] = /^\| `([^`]+)` .*\| `([^`]+)` \|$/.exec(line) ?? []
      return from === '' ? [] : [[from, to] as const]
    }),
)

it('every index leads where the map of routes says', async () => {
  const world = await fresh(hosts())
  const page = await (await open(world.visitor)).newPage()
  const look = openPageCheck(page)
  const [home = ''] = world.addressesOf('/organizations/$organizationId/projects/')
  await page.goto(`${hosts().console}${home}`)
  await look.settle()
  /** The end of the redirects; where the current organization decides, it is the visitor's. */
  const endOf = (route: string): string | undefined => {
    const to = leads.get(route) ?? leads.get(`${route}/`)
    return to === undefined ? undefined : (endOf(to) ?? to)
  }
  const indexes = routes.filter(isIndex)
  expect(indexes.length).toBeGreaterThan(10)
  for (const { fullPath } of indexes) {
    const [from = '/no/such/page'] = fullPath === '/$' ? [] : world.addressesOf(fullPath)
    const end = endOf(fullPath)
    const [to = ''] = end === undefined || end === '/organizations' ? [home] : world.addressesOf(end)
    await look.go(from)
    expect([fullPath, new URL(page.url()).pathname.replace(/\/$/, '')]).toEqual([fullPath, to.replace(/\/$/, '')])
  }
})

declare global {
  var teaselInjected: number | undefined
  var teaselDocument: string | undefined
}

/** Elements and attributes that no text from users may create. */
const madeByText = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const forbidden = 'iframe, object, embed, base, [srcdoc], [onerror], [onload], [onfocus], [ontoggle], meta[http-equiv]'
    const leadsAway = (one: Element) => {
      const target = new URL(one.getAttribute('href') ?? one.getAttribute('action') ?? '', location.href)
      return !/^(https?|blob|mailto):$/.test(target.protocol) || target.hostname === 'evil.example'
    }
    const links = [...document.querySelectorAll('a[href], form[action]')].filter(leadsAway)
    const made = [...document.querySelectorAll(forbidden), ...links]
    const said = made.map((one) => `made ${one.outerHTML.slice(0, 160)}`)
    const { teaselInjected: ran } = globalThis
    return ran === undefined ? said : [...said, `ran ${ran} scripts`]
  })

/** Visits these stops in one document; returns everything a payload has done, and how many stops show one as text. */
const visitHostile = async ({ visitor }: Dataset, stops: readonly Stop[]) => {
  const context = await open(visitor)
  const page = await context.newPage()
  const findings: string[] = []
  let withText = 0
  context.on('page', (opened) => findings.push(`opened ${opened.url()}`))
  page.on('dialog', (dialog) => {
    findings.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const look = openPageCheck(page)
  await page.goto(`${hosts().console}/account/settings/organizations/add`)
  await look.settle()
  await page.evaluate(() => (globalThis.teaselDocument = 'the first'))
  for (const { place, href } of stops) {
    await look.go(href)
    const stays = await page.evaluate(() => globalThis.teaselDocument === 'the first')
    const path = new URL(page.url()).pathname
    const away = stays && path === href ? [] : [`went away to ${page.url()}`]
    const words = (await page.locator('main').innerText()).trim()
    if (/teaselInjected|evil\.example/.test(words)) withText += 1
    const shown = words === '' ? ['shows nothing'] : []
    findings.push(...[...(await madeByText(page)), ...away, ...shown].map((one) => `${place.fullPath}: ${one}`))
  }
  return { findings, withText }
}

const ROUNDS = repetitions(1, 10)

it(
  `T-03: ${payloads.length} payloads in every text field run nowhere, ask no foreign host and lead nowhere, on every route`,
  { timeout: within(900_000) },
  async () => {
    expect(new Set(payloads).size).toBe(200)
    const stops = stopsOf(atWork, 'data')
    const half = Math.ceil(stops.length / 2)
    for (let round = 0; round < ROUNDS; round++) {
      await hosts().sql(seedPayloads(round))
      const found = await Promise.all([stops.slice(0, half), stops.slice(half)].map((part) => visitHostile(atWork, part)))
      expect(found.flatMap(({ findings }) => findings)).toEqual([])
      // They are visible, as text.
      expect(found.reduce((sum, { withText }) => sum + withText, 0)).toBeGreaterThan(stops.length / 2)
    }
    // The mails of the local host contain the same names.
    const page = await (await open()).newPage()
    await page.goto(`${hosts().signIn}/outbox`)
    expect(await madeByText(page)).toEqual([])
    await expect.poll(() => page.locator('body').innerText()).toContain('evil.example')
  },
)
