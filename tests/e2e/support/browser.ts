import { type Browser, type BrowserContext, chromium, type Page, type Route } from 'playwright-core'

/** Without these Chromium requests its vendor's hosts at every start. */
const quiet = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
]

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.TEASEL_CHROMIUM ?? '/usr/bin/chromium',
    args: process.getuid?.() === 0 ? [...quiet, '--no-sandbox'] : quiet,
  })

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/** A new profile that can reach only loopback (F-30), and records errors that no page may have. */
export const openContext = async (browser: Browser, options: Parameters<Browser['newContext']>[0] = {}) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  const complaints: string[] = []
  await context.route(
    (url) => !loopback.has(url.hostname),
    (route) => {
      complaints.push(`left loopback: ${route.request().url()}`)
      return route.abort()
    },
  )
  context.on('page', (page) => {
    page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`))
    page.on('console', (message) => {
      if (/Content Security Policy|Trusted ?Type/i.test(message.text())) complaints.push(`policy: ${message.text()}`)
    })
  })
  return { context, complaints }
}

export type { Browser, BrowserContext, Page, Route }
