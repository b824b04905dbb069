import { expect, it } from 'vitest'
import { notificationSettings } from '../../contract/accounts/notifications'
import { createPersonalProject } from '../../contract/accounts/project-changes'
import { startRollout } from '../../contract/updates/rollout-steps'
import { previewRollout } from '../../contract/updates/rollout-plans'
import { createRollout } from '../../contract/updates/rollouts'
import { checkInThemes } from './every-route/check-in-themes'
import { openPageCheck, withAxe } from './every-route/check-page'
import { openFleet } from './every-route/fleet'
import { artifacts } from './support/artifacts'
import { mailsIn, mailsTo } from './support/outbox'
import type { Page } from './support/browser'
import { call } from './support/call'
import { useConsole } from './support/console'
import { newUser, type Visitor } from './support/hosts'
import { within } from '../support/machine-load'

const { hosts, open } = useConsole()

const gate = { min_success_percent: 90, max_failure_percent: 10, min_sample: 1, soak_s: 0, then: 'continue' } as const
const plan = { target: { everything: true }, waves: [{ kind: 'percent' as const, value: 100, gate }] }

/** A project with a rollout that runs on a device. */
const bench = async (as: Visitor) => {
  const { api } = hosts()
  const { body: project } = await call(api, createPersonalProject, {}, { as: as.token, body: { name: 'Orchard' } })
  const made = await artifacts(hosts(), as, project.id)
  const fleet = await openFleet(hosts(), as, project.id, made.fingerprint)
  const device = await fleet.add('gw-0417')
  const releaseId = await made.signed({ name: 'Gateway', version: 20_500, bytes: Buffer.alloc(300, 'a') })
  const { body: seen } = await call(api, previewRollout, { releaseId }, { as: as.token, body: plan })
  const body = { ...plan, preview_hash: seen.preview_hash }
  const { body: rollout } = await call(api, createRollout, { releaseId }, { as: as.token, body })
  await call(api, startRollout, { rolloutId: rollout.id }, { as: as.token, body: {} })
  const halt = async () => {
    await expect.poll(() => fleet.install(device, { type: 'update_accepted' })).toBe(true)
    await fleet.install(device, { type: 'update_failed', reason_code: 'boot_failed' })
  }
  return { address: `${hosts().console}/organizations/none/projects/${project.id}`, rollout, project, halt }
}

// The bell is polled each 2 minutes while the stream is open.
const beforePolling = { timeout: within(90_000) }

const bell = (page: Page, unread = 0) =>
  page.getByRole('button', { name: unread === 0 ? 'Notifications' : `Notifications: ${unread} unread`, exact: true })
const list = (page: Page) => page.getByRole('dialog', { name: 'Notifications' })

it('a rollout that halts shows at the bell of two tabs without a reload, and its link marks it as read in both; the link of its mail unsubscribes, which the settings undo', async () => {
  const ines = await newUser(hosts())
  const { address, rollout, project, halt } = await bench(ines)
  const context = await open(ines)
  await withAxe(context)
  const pages = [await context.newPage(), await context.newPage()] as const
  // The tabs share the stream of the first one.
  const stream = pages[0].waitForResponse((response) => response.url().endsWith('/events'))
  for (const page of pages) {
    await page.goto(`${address}/releases/rollouts`)
    await bell(page).waitFor()
    await stream
  }
  const [page, other] = pages
  await bell(page).click()
  await list(page).getByText('No notifications').waitFor()
  await page.keyboard.press('Escape')
  await halt()
  for (const one of pages) await bell(one, 1).waitFor(beforePolling)

  await bell(page, 1).click()
  const row = list(page).getByRole('link', { name: `Rollout halted: ${rollout.name}` })
  await row.getByText('Orchard, ').waitFor()
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  const found = await checkInThemes(page, openPageCheck(page).settle, 'over notifications')
  // The list is in the body, outside of the landmark of its button.
  expect(found.filter((one) => !(one.includes('region: ') && one.includes('data-part="positioner"')))).toEqual([])
  await row.click()
  await page.waitForURL(`**/projects/${project.id}/releases/rollouts/${rollout.id}`)
  await list(page).waitFor({ state: 'detached' })
  for (const one of pages) await bell(one).waitFor(beforePolling)
  await bell(other).click()
  await list(other)
    .getByRole('link', { name: `Rollout halted: ${rollout.name}` })
    .waitFor()
  await expect.poll(() => list(other).getByRole('button', { name: 'Mark all as read' }).count()).toBe(0)

  // Its mail leads to the end of such mails, and from there to the settings, which undo it.
  const unsubscribe = mailsIn(other, ines.email).getByRole('link', { name: '/unsubscribe/' })
  const outbox = async () => {
    await mailsTo(other, hosts(), ines.email)
    return unsubscribe.count()
  }
  await expect.poll(outbox).toBe(1)
  await unsubscribe.click()
  await other.getByText('about the project Orchard?', { exact: false }).waitFor()
  expect(await checkInThemes(other, openPageCheck(other).settle, 'unsubscribe')).toEqual([])
  const levels = async () =>
    (await call(hosts().api, notificationSettings, {}, { as: ines.token })).body.settings.map(({ level }) => level)
  await expect.poll(() => levels()).toEqual(['needs_me'])
  await other.getByRole('button', { name: 'Unsubscribe' }).click()
  await other.getByRole('heading', { name: 'You are unsubscribed' }).waitFor()
  await expect.poll(() => levels()).toEqual(['nothing'])
  await other.getByRole('link', { name: 'Undo this in your notification settings' }).click()
  const choices = other.getByRole('radiogroup', { name: 'Notifications about Orchard' })
  const choice = (name: string) => choices.getByRole('radio', { name, exact: true })
  await expect.poll(() => choice('Nothing').isChecked()).toBe(true)
  await choices.getByText('What needs me', { exact: true }).click()
  await expect.poll(levels).toEqual(['needs_me'])
  await other.reload()
  await expect.poll(() => choice('What needs me').isChecked()).toBe(true)
})

it('a bell whose list cannot be loaded says so without an unread count, and tries again', async () => {
  const ines = await newUser(hosts())
  const context = await open(ines)
  await withAxe(context)
  const page = await context.newPage()
  const reads = `${hosts().api}/notifications*`
  await page.route(reads, (route) => route.fulfill({ status: 500, headers: { 'access-control-allow-origin': '*' } }))
  await page.goto(`${hosts().console}/organizations/none/projects`)
  await bell(page).click()
  await list(page).getByText('This section could not be loaded').waitFor()
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  const found = await checkInThemes(page, openPageCheck(page).settle, 'over failed notifications')
  expect(found.filter((one) => !(one.includes('region: ') && one.includes('data-part="positioner"')))).toEqual([])
  await page.unroute(reads)
  await list(page).getByRole('button', { name: 'Try again' }).click()
  await list(page).getByText('No notifications').waitFor()
})
