// `npm run bench:console` measures the built console in Chromium with a processor that is four times slower: the frames of scrolling
// 10,000 devices and a log of 20,000 lines beside those of an empty page, the most elements on those pages, and the time from a click
// in the side navigation to the next paint; then the heap while a log is followed for ten minutes. It judges no figure.
// `-- 2000` seeds so many devices, `-- 10000 8` slows the processor down 8 times, `-- 10000 4 1` follows a log for one minute.
import type { Page } from 'playwright-core'
import { createDevice } from '../../../contract/fleet/devices'
import { onboardingKey, recordInterstitial } from '../../../contract/accounts/interstitials'
import { createPersonalProject } from '../../../contract/accounts/project-changes'
import { findEmbedded } from '../../../server/core/database/embedded'
import { openDatabase } from '../../../server/core/database/open'
import { seedDevices, seedTelemetry, settle } from '../../../server/seed/large.repository'
import { storageKeys } from '../../../src/lib/storage-keys'
import { openBrowser, openContext } from '../../e2e/support/browser'
import { call } from '../../e2e/support/call'
import { measured, quantile, unlimited, withServer } from '../server'
import { compareFrames, slowDown } from './frames'
import { measureLiveTail } from './live-tail'

const [devices = '10000', slowdown = '4', minutes = '10'] = process.argv.slice(2)
const logLines = 20_000
const clicks = 5

const seed = async (directory: string, projectId: string) => {
  const embedded = await findEmbedded(directory)
  if (!embedded) throw new Error('the server has no database of its own')
  const { db, close } = openDatabase({ url: embedded.url, onError: () => {}, connections: 2 })
  const fleet = { projectId, devices: Number(devices), now: new Date() }
  await seedDevices(db, fleet)
  await seedTelemetry(db, { ...fleet, hours: 0, logLines, logged: 1, measured: 0 })
  await settle(db, fleet.now)
  await close()
}

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
  const seen = await page.evaluate(() => (window as unknown as { clicks: number[] }).clicks)
  // A click below the least duration that the browser reports.
  return seen.at(-1) ?? 16
}

const measureClicks = async (page: Page) => {
  const paints = new Map<string, number[]>()
  for (let round = 0; round < clicks; round++)
    for (const name of ['Monitor', 'Releases', 'Devices'])
      paints.set(name, [...(paints.get(name) ?? []), await clickToPaint(page, name)])
  for (const [name, took] of paints) {
    measured(`click to next paint, to ${name}, median`, quantile(took, 0.5), 'ms')
    measured(`click to next paint, to ${name}, worst`, Math.max(...took), 'ms')
  }
}

await withServer({ TEASEL_LIMIT_REQUESTS_PER_MINUTE: unlimited }, async (hosts, token, directory) => {
  const browser = await openBrowser()
  try {
    await call(hosts.api, recordInterstitial, { interstitialId: onboardingKey }, { as: token })
    const { body: project } = await call(hosts.api, createPersonalProject, {}, { as: token, body: { name: 'Fleet' } })
    // Before the others, which the plan does not count.
    const body = { name: 'Gateway', hardware_model: 'gw' }
    const { body: device } = await call(hosts.api, createDevice, { projectId: project.id }, { as: token, body })
    await seed(directory, project.id)
    const { context } = await openContext(browser)
    await context.addInitScript(([key = '', value = '']) => localStorage.setItem(key, value), [storageKeys.session, token])
    context.setDefaultTimeout(120_000)
    const list = `${hosts.console}/organizations/none/projects/${project.id}/devices/list`

    const empty = await context.newPage()
    await empty.setContent('<div style="height: 400000px"></div>')
    await slowDown(await context.newCDPSession(empty), Number(slowdown))

    const page = await context.newPage()
    await page.goto(list)
    const first = page.getByRole('link', { name: 'Device 000001' })
    await first.waitFor()
    const logAddress = `${(await first.getAttribute('href'))?.replace(/\/update-events$/, '')}/system-logs`
    // Loads the pages that the scrolling needs, so that frames are compared and not answers of the server.
    for (let n = 0; n < 60; n++) {
      await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight))
      await page.waitForTimeout(100)
    }
    const session = await context.newCDPSession(page)
    await slowDown(session, Number(slowdown))
    await compareFrames('devices', page, empty, { selector: 'html', step: 100 })
    await measureClicks(page)
    await slowDown(session, 1)
    await page.goto(`${hosts.console}${logAddress}`)
    await page.getByText('Following').waitFor()
    await slowDown(session, Number(slowdown))
    await compareFrames('log', page, empty, { selector: '[role=treegrid]', step: -100 })
    await slowDown(session, 1)
    await empty.close()

    await measureLiveTail({
      page,
      address: `${list}/${device.id}/system-logs`,
      api: hosts.api,
      deviceToken: device.device_token,
      minutes: Number(minutes),
    })
  } finally {
    await browser.close()
  }
})
