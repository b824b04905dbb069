// `npm run bench:console` measures the built console in Chromium with a processor that is four times slower: the frames of scrolling
// 10,000 devices and, in turns with them, those of an empty page, because other work on the machine changes; the elements on the page;
// and the time from a click in the side navigation to the next paint. It judges no figure. `-- 2000` seeds so many devices,
// `-- 10000 8` does so at a processor 8 times slower.
import type { CDPSession, Page } from 'playwright-core'
import { onboardingKey, recordInterstitial } from '../../contract/interstitials'
import { createPersonalProject } from '../../contract/project-changes'
import { findEmbedded } from '../../server/core/database/embedded'
import { openDatabase } from '../../server/core/database/open'
import { seedDevices, settle } from '../../server/seed/large.repository'
import { storageKeys } from '../../src/lib/storage-keys'
import { openBrowser, openContext } from '../e2e/support/browser'
import { call } from '../e2e/support/call'
import { measured, quantile, unlimited, withServer } from './server'

const [devices = '10000', slowdown = '4'] = process.argv.slice(2)
const scrollMs = 4000
const stepPx = 100
const rounds = 5
/** More scrolls than clicks: the share is of two medians. */
const scrolls = 5

const seed = async (directory: string, projectId: string) => {
  const embedded = await findEmbedded(directory)
  if (!embedded) throw new Error('the server has no database of its own')
  const { db, close } = openDatabase({ url: embedded.url, onError: () => {}, connections: 2 })
  const now = new Date()
  await seedDevices(db, { projectId, devices: Number(devices), now })
  await settle(db, now)
  await close()
}

/** Frames while the page scrolls by a step in each of them. As text: a compiled function would call helpers that the page lacks. */
const countFrames = (page: Page) =>
  page.evaluate<number>(`new Promise((resolve) => {
    window.scrollTo(0, 0)
    const end = performance.now() + ${scrollMs}
    let frames = 0
    const next = () => {
      if (performance.now() > end) return resolve(frames)
      window.scrollBy(0, ${stepPx})
      frames += 1
      requestAnimationFrame(next)
    }
    requestAnimationFrame(next)
  })`)

/** By the part of the page: what is not in one of these is in `rest`. */
const countElements = (page: Page) =>
  page.evaluate(() => {
    const parts = ['head', 'tbody', 'thead', 'header', 'nav', 'main']
    const counts: Record<string, number> = {}
    for (const one of document.querySelectorAll('*')) {
      const part = parts.find((name) => one.closest(name)) ?? 'rest'
      counts[part] = (counts[part] ?? 0) + 1
    }
    return counts
  })

/** The browser's own measure of a click: from the input to the frame after it, in steps of 8 ms. */
const clickToPaint = async (page: Page, name: string) => {
  await page.evaluate(() => {
    const seen = Object.assign(window, { clicks: [] as number[] }).clicks
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (entry.name === 'click') seen.push(entry.duration)
    }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit)
  })
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
  await page.getByRole('heading', { name: new RegExp(`^${name}`), level: 1 }).waitFor()
  await page.waitForTimeout(1500)
  const clicks = await page.evaluate(() => (window as unknown as { clicks: number[] }).clicks)
  // A click below the least duration that the browser reports.
  return clicks.at(-1) ?? 16
}

const slow = (session: CDPSession) => session.send('Emulation.setCPUThrottlingRate', { rate: Number(slowdown) })

await withServer({ TEASEL_LIMIT_REQUESTS_PER_MINUTE: unlimited }, async (hosts, token, directory) => {
  const browser = await openBrowser()
  try {
    await call(hosts.api, recordInterstitial, { interstitialId: onboardingKey }, { as: token })
    const { body: project } = await call(hosts.api, createPersonalProject, {}, { as: token, body: { name: 'Fleet' } })
    await seed(directory, project.id)
    const { context } = await openContext(browser)
    await context.addInitScript(([key = '', value = '']) => localStorage.setItem(key, value), [storageKeys.session, token])
    context.setDefaultTimeout(120_000)

    const empty = await context.newPage()
    await empty.setContent('<div style="height: 400000px"></div>')
    await slow(await context.newCDPSession(empty))

    const page = await context.newPage()
    await page.goto(`${hosts.console}/organizations/none/projects/${project.id}/devices/list`)
    await page.getByRole('link', { name: 'Device 000001' }).waitFor()
    // Loads the pages that the scrolling needs, so that frames are compared and not answers of the server.
    for (let n = 0; n < 60; n++) {
      await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight))
      await page.waitForTimeout(100)
    }
    await slow(await context.newCDPSession(page))
    const frames: number[] = []
    const emptyFrames: number[] = []
    for (let round = 0; round < scrolls; round++) {
      // Only the page in front draws frames.
      await empty.bringToFront()
      emptyFrames.push(await countFrames(empty))
      await page.bringToFront()
      frames.push(await countFrames(page))
    }
    await empty.close()
    const elements = await countElements(page)
    measured(
      'elements on the page while it scrolls',
      Object.values(elements).reduce((sum, n) => sum + n),
      '',
    )
    for (const [part, n] of Object.entries(elements)) measured(`elements in ${part}`, n, '')
    measured('frames per second, devices', (quantile(frames, 0.5) / scrollMs) * 1000, '/s')
    measured('frames per second, empty page', (quantile(emptyFrames, 0.5) / scrollMs) * 1000, '/s')
    measured('share of the frames of an empty page', quantile(frames, 0.5) / quantile(emptyFrames, 0.5), '')

    const paints = new Map<string, number[]>()
    for (let round = 0; round < rounds; round++)
      for (const name of ['Monitor', 'Releases', 'Devices']) {
        const took = await clickToPaint(page, name)
        paints.set(name, [...(paints.get(name) ?? []), took])
      }
    for (const [name, took] of paints) {
      measured(`click to next paint, to ${name}, median`, quantile(took, 0.5), 'ms')
      measured(`click to next paint, to ${name}, worst`, Math.max(...took), 'ms')
    }
  } finally {
    await browser.close()
  }
})
