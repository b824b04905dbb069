import { expect, it } from 'vitest'
import { onboardingKey } from '../../../contract/accounts/interstitials'
import type { BrowserContext, Page, Route } from '../support/browser'
import { useConsole } from '../support/console'
import { newUser } from '../support/hosts'

const { hosts, open } = useConsole()

const recording = () => `${hosts().api}/interstitials/${onboardingKey}`
const saving = () => `${hosts().api}/user_profile`
const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Set up your account', exact: true })

/** The server says that it was not seen yet; the test answers the submits. */
const prepare = async () => {
  const context = await open(await newUser(hosts()))
  await context.route(`${hosts().api}/interstitials`, (route) => route.fulfill({ json: { interstitials: [] } }))
  const page = await context.newPage()
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(request.url())
  })
  const ask = async () => {
    await page.goto(`${hosts().console}/organizations/none/projects`)
    await dialogOf(page).waitFor()
    sent.length = 0
  }
  return { context, page, sent, ask }
}

/** Holds a call until released. */
const hold = async (context: BrowserContext, url: string, answer: (route: Route) => Promise<void>) => {
  let go = () => {}
  const told = new Promise<void>((resolve) => (go = resolve))
  await context.route(url, async (route) => {
    if (route.request().method() === 'OPTIONS') return route.fallback()
    await told
    return answer(route)
  })
  return () => go()
}

const good = (route: Route) => route.fallback()

it('§4: nothing is saved before the server has recorded that it was seen; until then Submit is busy', async () => {
  const { context, page, sent, ask } = await prepare()
  const record = await hold(context, recording(), good)
  const save = await hold(context, saving(), good)
  await ask()
  await dialogOf(page).getByRole('button', { name: 'Submit', exact: true }).click()
  const pressed = dialogOf(page).getByRole('button', { name: 'Submit', exact: true })
  const busy = dialogOf(page).getByRole('button', { name: 'Submitting', exact: true })
  await busy.waitFor()
  await expect.poll(() => pressed.count()).toBe(0)
  expect([await busy.isDisabled(), sent]).toEqual([true, [recording()]])
  record()
  await expect.poll(() => sent).toEqual([recording(), saving()])
  await expect.poll(() => busy.isDisabled()).toBe(true)
  save()
  await dialogOf(page).waitFor({ state: 'detached' })
  expect(sent).toEqual([recording(), saving()])
})

type Fault = number | 'abort'
const faults: Fault[] = [400, 403, 404, 409, 422, 429, 500, 503, 'abort']
const spoil = (fault: Fault) => (route: Route) =>
  fault === 'abort' ? route.abort('connectionreset') : route.fulfill({ status: fault, json: { error: { code: 'spoilt' } } })

it.each(['recording', 'saving'] as const)('§4: it closes silently for any outcome of %s', async (call) => {
  const { context, page, sent, ask } = await prepare()
  let fault: Fault = 500
  const answer = (route: Route) => (route.request().method() === 'OPTIONS' ? route.fallback() : spoil(fault)(route))
  await context.route(recording(), call === 'recording' ? answer : good)
  await context.route(saving(), call === 'saving' ? answer : good)
  for (fault of faults) {
    await ask()
    // It is set after the first page, as the dialog is loaded.
    await expect.poll(() => page.title()).not.toBe('Teasel')
    const { title, place } = { title: await page.title(), place: page.url() }
    await dialogOf(page).getByRole('button', { name: 'Submit', exact: true }).click()
    await dialogOf(page).waitFor({ state: 'detached' })
    expect(sent).toEqual(call === 'recording' ? [recording()] : [recording(), saving()])
    // No notice, no error in place of the page, no other page.
    await page.getByText('No projects').waitFor()
    expect([await page.getByRole('status').count(), await page.getByRole('alert').count()]).toEqual([0, 0])
    expect([await page.title(), page.url()]).toEqual([title, place])
  }
})
