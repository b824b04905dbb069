import { expect, it } from 'vitest'
import { createPersonalProject } from '../../../contract/accounts/project-changes'
import { self } from '../../../contract/accounts/users'
import { storageKeys } from '../../../src/lib/storage-keys'
import { openTestPage, type TestPage } from '../gestures/test-page'
import { callOf, pageAt } from '../gestures/request-script'
import type { Page } from '../support/browser'
import { useConsole } from '../support/console'
import { newUser, type Visitor } from '../support/hosts'

const { hosts, open } = useConsole()

const projects = (page: Page) => page.getByRole('heading', { name: /^Projects/ })
const signIn = async (page: Page, { email, password }: Visitor) => {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}
/** The page may navigate away before it has loaded completely. */
const arrive = (page: Page, address: string) => page.goto(address, { waitUntil: 'commit' })
const goOn = (page: Page) => page.getByRole('button', { name: /^Continue as/ }).click()
const toSignIn = (page: Page) => page.waitForURL(`${hosts().signIn}/signin**`)

it("§4: without a session 'Redirecting to sign-in...' is shown, and sign-in returns to the requested path and query", async () => {
  const ines = await newUser(hosts())
  const { page, wire } = await openTestPage(await open())
  const wanted = `${hosts().console}/account/settings/organizations/list?experimental=true&from=mail`
  const away = pageAt(hosts().signIn)
  await wire.always(away, 204)
  await arrive(page, wanted)
  await page.getByRole('heading', { name: 'Redirecting to sign-in...', exact: true }).waitFor()
  expect(page.url()).toBe(wanted)
  // The code and the verifier are in no URL that leaves this page.
  expect([...new URL(wire.last(away)).searchParams.keys()].toSorted()).toEqual([
    'code_challenge',
    'code_challenge_method',
    'redirect_uri',
    'state',
  ])
  await wire.free(away)
  await arrive(page, wanted)
  await toSignIn(page)
  await signIn(page, ines)
  await page.waitForURL(wanted)
  await page.getByRole('heading', { name: /^Organizations/ }).waitFor()
  expect(await page.evaluate(() => location.hash)).toBe('')
})

it('two returns from sign-in within a minute without a session are not followed by a third redirect until a person asks', async () => {
  const ines = await newUser(hosts())
  const { page, wire } = await openTestPage(await open())
  const reading = callOf(self)
  await wire.always(reading, 401)
  await arrive(page, hosts().console)
  await toSignIn(page)
  await signIn(page, ines)
  // The first session is refused: the browser is sent to sign-in again.
  await goOn(page)
  await page.getByRole('heading', { name: 'You are not signed in' }).waitFor()
  await page.getByText('twice within a minute').waitFor()
  await wire.free(reading)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await goOn(page)
  await projects(page).waitFor()
})

it('F-12: a 401 of an older session does not end the one that another tab has opened since', async () => {
  const [ines, milo] = [await newUser(hosts()), await newUser(hosts())]
  const stage: TestPage = await openTestPage(await open(ines))
  const { context, page, wire } = stage
  const creating = callOf(createPersonalProject)
  wire.hold(creating)
  await page.goto(`${hosts().console}/organizations/none/projects/add`)
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Orchard')
  await page.getByRole('button', { name: 'Save' }).click()
  await wire.held(creating)

  const tab = await context.newPage()
  await tab.goto(`${hosts().console}/favicon.svg`)
  const milos = page.waitForResponse(
    (response) => response.url() === `${hosts().api}/users/self` && response.request().method() === 'GET' && response.ok(),
  )
  await tab.evaluate(([key, value]) => localStorage.setItem(key!, value!), [storageKeys.session, milo.token])
  await milos
  await Promise.all([
    page.waitForResponse((response) => response.status() === 401 && response.request().method() === 'POST'),
    wire.refuse(creating, 401),
  ])
  await page.goto(`${hosts().console}/organizations/none/projects`)
  await projects(page).waitFor()
  expect(await page.evaluate((key) => localStorage.getItem(key), storageKeys.session)).toBe(milo.token)
})
