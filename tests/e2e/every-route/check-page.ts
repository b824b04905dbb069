import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import type { BrowserContext, Page, Request } from 'playwright-core'
import { within } from '../../support/machine-load'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
type Axe = {
  run: (
    scope: Document,
    options: object,
  ) => Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }>
}
type Router = { history: { push: (href: string) => void }; state: { status: string; location: At; resolvedLocation?: At } }
type At = { href: string }
// TanStack Router stores its router on `window`.
declare global {
  var axe: Axe
  var __TSR_ROUTER__: Router
}

export const withAxe = (context: BrowserContext) => context.addInitScript({ content: source })

const timeout = within(120_000)

/** Whether it ended within the time limit. */
const ends = async (work: Promise<void>): Promise<boolean> => {
  let late: NodeJS.Timeout | undefined
  const patient = new Promise<boolean>((resolve) => {
    late = setTimeout(() => resolve(false), timeout)
  })
  return Promise.race([work.then(() => true), patient]).finally(() => clearTimeout(late))
}

/** Pending requests of the page. */
const watchTraffic = (page: Page) => {
  const open = new Set<Request>()
  const waiting = new Set<() => void>()
  const ended = (request: Request) => {
    open.delete(request)
    if (open.size === 0) [...waiting].forEach((go) => go())
  }
  // The stream of events stays open.
  page.on('request', (request) => void (request.url().endsWith('/events') || open.add(request)))
  page.on('requestfinished', ended)
  page.on('requestfailed', ended)
  const quiet = async () => {
    while (open.size > 0) await new Promise<void>((resolve) => waiting.add(resolve))
    waiting.clear()
  }
  return {
    isQuiet: () => open.size === 0,
    /** A request that never ends is reported and no longer waited for: the page itself must show whether it needs it. */
    quiet: async () => {
      if (await ends(quiet())) return
      console.warn(`${page.url()} still waits for ${[...open].map((request) => `${request.method()} ${request.url()}`).join()}`)
      open.clear()
    },
  }
}

const isIdle = () => document.querySelector('[aria-busy=true]') === null

/** Resolves when no region is busy, animations have ended, and measured content is drawn. */
const rest = async (page: Page) => {
  await page.waitForFunction(isIdle)
  const atRest = page.evaluate(async () => {
    // A page that draws nothing new may get no frame.
    const frame = () =>
      new Promise((resolve) => {
        requestAnimationFrame(resolve)
        setTimeout(resolve, 100)
      })
    const moving = () => document.getAnimations().some(({ playState }) => playState === 'running')
    // Polled, since waiting for the `finished` promise has hung when nothing moved any more. The end of one animation may start
    // an inherited one.
    do {
      await frame()
      await frame()
    } while (moving())
  })
  if (await ends(atRest)) return
  const moving = await page.evaluate(() =>
    document.getAnimations().map(({ effect }) => effect instanceof KeyframeEffect && effect.target?.outerHTML.slice(0, 120)),
  )
  throw new Error(`does not come to rest: ${moving.join()}`)
}

export const openPageCheck = (page: Page) => {
  const traffic = watchTraffic(page)
  const settle = async () => {
    do {
      await traffic.quiet()
      await rest(page)
      // A region that became busy meanwhile may have its answer without having drawn it.
    } while (!traffic.isQuiet() || !(await page.evaluate(isIdle)))
  }
  return {
    settle,
    /** Navigates with the page's router, as a link does; resolves at the end. */
    go: async (href: string) => {
      await page.evaluate((to) => __TSR_ROUTER__.history.push(to), href)
      await page.waitForFunction(() => {
        const { status, location, resolvedLocation } = __TSR_ROUTER__.state
        return status === 'idle' && resolvedLocation?.href === location.href
      })
      await settle()
    },
  }
}

/**
 * Whether the page has this text within the time limit: it can be idle before its first effect has run. Polled by time: a page that
 * draws nothing new may get no frame.
 */
export const says = (page: Page, wanted: string): Promise<boolean> =>
  page
    .waitForFunction((text) => document.body.innerText.includes(text), wanted, { timeout: within(30_000), polling: 200 })
    .then(() => true)
    .catch(() => false)

/** The text of the page's own part, for a finding. */
export const textOf = (page: Page): Promise<string> => page.evaluate(() => document.querySelector('main')?.innerText ?? '')

/** Contrast depends on the theme, and costs about as much as all other rules. */
export type AxeRules = 'all' | 'contrast' | 'all but contrast'

/** The findings of axe. */
export const violations = (page: Page, rules: AxeRules = 'all'): Promise<string[]> =>
  page.evaluate(async (asked) => {
    const chosen = {
      all: {},
      contrast: { runOnly: ['color-contrast'] },
      'all but contrast': { rules: { 'color-contrast': { enabled: false } } },
    }[asked]
    const options = { resultTypes: ['violations'], preload: false, ...chosen }
    const { violations: found } = await axe.run(document, options)
    return found.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 240)} (${failureSummary.split('\n')[1]?.trim()})`),
    )
  }, rules)

/** Milliseconds that a page has to place what it placed for another width. */
export const untilPlaced = within(10_000)

/** How far the page scrolls sideways, and which elements overflow. */
export const sideways = (page: Page): Promise<string[]> =>
  page.evaluate(async (limit) => {
    const width = () => (document.scrollingElement ?? document.body).scrollWidth
    // An overlay is placed in the first frame after a change of width, which may be late.
    const end = performance.now() + limit
    while (width() > innerWidth && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 100))
    const scrollWidth = width()
    if (scrollWidth <= innerWidth) return []
    const wide = [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > innerWidth)
    const names = wide.slice(0, 4).map((one) => `${one.tagName.toLowerCase()}.${one.classList.value.slice(0, 60)}`)
    return [`scrolls sideways to ${scrollWidth} px: ${names.join(', ')}`]
  }, untilPlaced)
