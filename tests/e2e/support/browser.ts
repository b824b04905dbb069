import { type Browser, type BrowserContext, chromium, type Locator, type Page, type Route } from 'playwright-core'
import { within } from '../../support/machine-load'

/** Replaces Playwright's list, since Chromium reads only the last one. */
const disabledFeatures = [
  // The address bar of each window loads these two documents: half of the CPU time of a new context.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  // A second renderer process for each page, in reserve.
  'SpareRendererForSitePerProcess',
  // Each of these requests hosts of the vendor.
  'AimEnabled',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PreconnectToSearch',
  // The rest of Playwright's list.
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
]
const args = [
  // Without these Chromium requests its vendor's hosts at every start.
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
  `--disable-features=${disabledFeatures.join()}`,
  // F-30: no other name is resolved, so that nothing leaves loopback.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1, EXCLUDE [::1]',
]

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.TEASEL_CHROMIUM ?? '/usr/bin/chromium',
    args: process.getuid?.() === 0 ? [...args, '--no-sandbox'] : args,
  })

/** Milliseconds. A loaded machine can stand still for half a minute. */
const patience = within(120_000)

/**
 * A list or window beside its button is at the origin of the page until it has been placed. A click there is lost if it moves between
 * the press and the release, so every action waits for the place.
 */
const unplaced = ['menu', 'popover', 'select', 'combobox']
  .map((scope) => `[data-scope=${scope}][data-part=positioner]:not([style*='--x:'])`)
  .join()

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

/** A new profile that can reach only loopback (F-30), and records errors that no page may have. */
export const openContext = async (browser: Browser, options: Parameters<Browser['newContext']>[0] = {}) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  context.setDefaultTimeout(patience)
  const complaints: string[] = []
  // Observed and not intercepted: a context with a route does not use its cache.
  context.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url())
    if (/^(http|ws)s?:$/.test(protocol) && !loopback.has(hostname)) complaints.push(`left loopback: ${request.url()}`)
  })
  context.on('page', (page) => {
    // It rejects when the page is closed.
    void page.addLocatorHandler(page.locator(unplaced).first(), () => Promise.resolve()).catch(() => {})
    page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`))
    page.on('console', (message) => {
      if (/Content Security Policy|Trusted ?Type/i.test(message.text())) complaints.push(`policy: ${message.text()}`)
    })
  })
  return { context, complaints }
}

export type { Browser, BrowserContext, Locator, Page, Route }
