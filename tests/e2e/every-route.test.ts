import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { isIndex, isPlace, readRoutes, type Route } from '../support/routes'
import { failReads } from './every-route/failing'
import { openLook, withAxe } from './every-route/look'
import { seenIn } from './every-route/seen'
import { type Visit, visits } from './every-route/visits'
import { bare, busy, fresh, type World } from './every-route/worlds'
import { useConsole } from './support/console'
import { root } from './support/product'

const { hosts, open } = useConsole()
let atWork: World
beforeAll(async () => {
  atWork = await busy(hosts())
})

const routes = readRoutes()
const places = routes.filter(isPlace)

let looks = 0
/** Of one route there are several. */
const pictureOf = (mode: Mode, { fullPath }: Route) => `${mode} ${fullPath.slice(1).replaceAll('/', '.')} ${(looks += 1)}`

type Mode = 'data' | 'empty' | 'error'
type Stop = { place: Route; visit: Visit; href: string }

/** One document leads through all of its stops. */
const lane = async (mode: Mode, { visitor }: World, stops: readonly Stop[]): Promise<string[]> => {
  const context = await open(visitor)
  context.setDefaultTimeout(20_000)
  await withAxe(context)
  const failing = mode === 'error' ? await failReads(context, hosts().api) : undefined
  const page = await context.newPage()
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  const look = openLook(page)
  const findings: string[] = []
  // It asks for nothing that another place asks for again.
  await page.goto(`${hosts().console}/account/settings/organizations/add`)
  await look.settle()
  const visitOne = async ({ place, visit, href }: Stop): Promise<string[]> => {
    failing?.at(place)
    await look.go(href)
    const words = await page.locator('body').innerText()
    const heading = (await page.locator('h1').allInnerTexts()).join()
    const wanted = visit[mode] ?? (mode === 'error' ? 'Try again' : visit.heading)
    const asked = failing?.refused() ?? []
    const missing =
      !words.includes(wanted) && !(failing && visit.asksNothing)
        ? [`does not say ${wanted}${asked.length > 0 ? ` when ${asked.join()} fail` : ''}`]
        : []
    const silent =
      failing && (visit.asksNothing ?? false) !== (asked.length === 0) ? [`asked for ${asked.join() || 'nothing'}`] : []
    const misled = failing || heading.startsWith(visit.heading) ? [] : [`is headed ${heading}`]
    return [...missing, ...silent, ...misled, ...(await seenIn(page, look.settle, pictureOf(mode, place)))]
  }
  for (const stop of stops) {
    const found = await visitOne(stop).catch((error: unknown) => [String(error)])
    findings.push(...found.map((one) => `${stop.place.fullPath}: ${one}`))
  }
  return findings
}

const stopsOf = ({ addressesOf }: World, mode: Mode): Stop[] =>
  places.flatMap((place) => {
    const visit = visits[place.fullPath]
    if (!visit || (visit.around && (mode !== 'error' || visit.asksNothing))) return []
    const hrefs = addressesOf(place.fullPath).map((href) => ({ place, visit, href }))
    return mode === 'error' ? hrefs.slice(0, 1) : hrefs
  })

/** Two pages at a time: a machine of two cores has no more to give. */
const walk = async (mode: Mode, ...worlds: World[]): Promise<string[]> => {
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

it('every place of the console is visited, and nothing else', () => {
  expect(Object.keys(visits).toSorted()).toEqual(places.map(({ fullPath }) => fullPath).toSorted())
})

it('no place breaks a rule of axe or scrolls sideways with data, in light and dark, wide and narrow', async () => {
  expect(await walk('data', atWork)).toEqual([])
}, 300_000)

it('no place does so with nothing to show', async () => {
  expect(await walk('empty', await fresh(hosts()), await bare(hosts()))).toEqual([])
}, 300_000)

it('no place does so when its reads are answered 500, and each that asked offers to try again', async () => {
  expect(await walk('error', atWork)).toEqual([])
}, 300_000)

/** `from → to` of the map of routes, which the route tree is held to. */
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
  const look = openLook(page)
  const [home = ''] = world.addressesOf('/organizations/$organizationId/projects/')
  await page.goto(`${hosts().console}${home}`)
  await look.settle()
  /** The last of the way; where the current organization decides, it is hers. */
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
