import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { createPersonalProject, deleteProject } from '../../contract/accounts/project-changes'
import { onboardingKey, recordInterstitial } from '../../contract/accounts/interstitials'
import { profile } from '../../contract/accounts/profile'
import { self, updateSelf } from '../../contract/accounts/users'
import { codeAt } from '../support/account'
import { png } from '../support/pictures'
import { installClock } from './gestures/clock'
import type { Page } from './support/browser'
import { call, statusOf } from './support/call'
import { useConsole } from './support/console'
import { newUser, type Visitor } from './support/hosts'
import { signIn, someone } from './support/people'
import { signUpOverHttp } from './support/visitor'

const { hosts, open } = useConsole()

const go = (page: Page, place: string) => page.goto(`${hosts().console}/account/settings/${place}`)
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const dialog = (page: Page) => page.getByRole('dialog')

const giveCredentials = async (page: Page, { email, password }: Visitor) => {
  await page.waitForURL(`${hosts().signIn}/signin**`)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await button(page, 'Sign in').click()
}
/** Enters the correct password, which opens the second step. */
const givePassword = async (page: Page, visitor: Visitor) => {
  await giveCredentials(page, visitor)
  await page.waitForURL(`${hosts().signIn}/signin/code**`)
}
const giveCode = async (page: Page, label: 'Code' | 'Recovery code', code: string) => {
  await page.getByLabel(label).fill(code)
  await button(page, 'Sign in').click()
}
/** Back on the page from before signing out. */
const arrived = (page: Page) => page.waitForURL(`${hosts().console}/account/settings/security`)
const signOut = async (page: Page) => {
  await button(page, 'User Menu').click()
  await page.getByRole('menuitem', { name: 'Sign Out' }).click()
}

const takePictures = async (page: Page, name: string) => {
  const folder = process.env['TEASEL_PICTURES']
  if (!folder) return
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1280, 390]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      await page.getByRole('region', { name: 'Delete account', includeHidden: true }).scrollIntoViewIfNeeded()
      await page.screenshot({ path: `${folder}/${name}-${colorScheme}-${width}.png` })
    }
  await page.setViewportSize({ width: 1280, height: 720 })
}

/** Turns it on through the dialog, with this test as the app; returns its secret and the shown codes. */
const turnOn = async (page: Page, { password }: Visitor) => {
  await go(page, 'security')
  await button(page, 'Turn on two-step sign-in').click()
  await dialog(page)
    .getByLabel(/^Password/)
    .fill(password)
  await button(page, 'Continue').click()
  await page.getByRole('img', { name: 'The secret as a QR code' }).waitFor()
  const secret = (await dialog(page).getByLabel('Key', { exact: true }).textContent())?.replaceAll(' ', '') ?? ''
  await dialog(page).getByLabel(/^Code/).fill(codeAt(secret, new Date()))
  await button(page, 'Turn on').click()
  const list = dialog(page).getByRole('list', { name: 'Recovery codes' })
  await list.waitFor()
  const codes = await list.getByRole('listitem').allTextContents()
  await button(page, 'I saved the codes').click()
  await dialog(page).waitFor({ state: 'detached' })
  return { secret, codes }
}

it('sets up two-step sign-in in the page, asks for it at the next sign-in, and accepts each code once', async () => {
  const ines = await newUser(hosts())
  const context = await open(ines)
  // The page does not leave before its sign-out is answered, as it would after 3 s on a loaded machine.
  await installClock(context, { callsEnd: false })
  const page = await context.newPage()
  const { secret, codes } = await turnOn(page, ines)
  expect(codes).toHaveLength(10)
  await page.getByText('10 of 10 are left').waitFor()
  expect((await call(hosts().api, self, {}, { as: ines.token })).body.data.mfa_enabled).toBe(true)

  await signOut(page)
  await givePassword(page, ines)
  await giveCode(page, 'Code', '000000')
  await page.getByText('This code is wrong or was used before').waitFor()
  // The code of the next time step: the one that confirmed it is used up.
  const code = codeAt(secret, new Date(), 1)
  await giveCode(page, 'Code', code)
  await arrived(page)

  await signOut(page)
  await givePassword(page, ines)
  await giveCode(page, 'Code', code)
  await page.getByText('This code is wrong or was used before').waitFor()
  await page.getByRole('link', { name: 'Use a recovery code' }).click()
  await giveCode(page, 'Recovery code', codes[4] ?? '')
  await arrived(page)

  await signOut(page)
  await givePassword(page, ines)
  await page.getByRole('link', { name: 'Use a recovery code' }).click()
  await giveCode(page, 'Recovery code', codes[4] ?? '')
  await page.getByText('This code is wrong or was used before').waitFor()
  await giveCode(page, 'Recovery code', codes[5] ?? '')
  await arrived(page)
  await go(page, 'security')
  await page.getByText('8 of 10 are left').waitFor()
})

it('gives new recovery codes and turns off two-step sign-in only with password and code', async () => {
  const ines = await newUser(hosts())
  const page = await (await open(ines)).newPage()
  const { codes } = await turnOn(page, ines)
  const prove = async (opener: string, code: string, go: string) => {
    await button(page, opener).click()
    await dialog(page)
      .getByLabel(/^Password/)
      .fill(ines.password)
    await dialog(page).getByLabel(/^Code/).fill(code)
    await dialog(page).getByRole('button', { name: go }).click()
  }
  await prove('New recovery codes', codes[0] ?? '', 'Create new codes')
  const list = dialog(page).getByRole('list', { name: 'Recovery codes' })
  await list.waitFor()
  const fresh = await list.getByRole('listitem').allTextContents()
  const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Download').click()])
  expect(download.suggestedFilename()).toBe('teasel-recovery-codes.txt')
  await button(page, 'I saved the codes').click()
  await prove('Turn off', codes[1] ?? '', 'Turn off')
  await dialog(page).getByText('This code is wrong or was used before').waitFor()
  await dialog(page)
    .getByLabel(/^Code/)
    .fill(fresh[0] ?? '')
  await dialog(page).getByRole('button', { name: 'Turn off' }).click()
  await button(page, 'Turn on two-step sign-in').waitFor()
  expect((await call(hosts().api, self, {}, { as: ines.token })).body.data.mfa_enabled).toBe(false)
})

it('shows a picture in the header at once, and the letter again when it is removed', async () => {
  const ines = await newUser(hosts())
  const page = await (await open(ines)).newPage()
  await go(page, 'profile')
  const shown = button(page, 'User Menu').locator('img')
  await expect.poll(() => shown.count()).toBe(0)
  const [sent] = await Promise.all([
    page.waitForRequest((request) => request.url() === `${hosts().api}/users/self/avatar` && request.method() === 'POST'),
    page.getByLabel('Picture file').setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: png(900, 600) }),
  ])
  // §7: form-data with a multipart header.
  expect(sent.headers()['content-type']).toMatch(/^multipart\/form-data; boundary=/)
  await shown.waitFor()
  // Cropped to a square, and a valid picture.
  await expect
    .poll(() => shown.evaluate((image: HTMLImageElement) => [image.naturalWidth, image.naturalHeight]))
    .toEqual([512, 512])
  const source = (await shown.getAttribute('src')) ?? ''
  expect(source).toMatch(/\/avatars\/[\w-]{43}$/)
  // T-15: shown by an <img>, and downloaded when its URL is opened: never a document of the API host.
  const other = await page.context().newPage()
  const [saved] = await Promise.all([other.waitForEvent('download'), other.goto(source).catch(() => undefined)])
  expect(saved.suggestedFilename()).toMatch(/^avatar\.(png|jpeg|webp)$/)
  expect(other.url()).toBe('about:blank')
  await other.close()
  await page
    .getByLabel('Picture file')
    .setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: Buffer.from('no picture') })
  await page.getByText('This picture could not be read').waitFor()
  await expect.poll(() => shown.count()).toBe(1)
  await button(page, 'Remove').click()
  await shown.waitFor({ state: 'detached' })
  expect((await call(hosts().api, self, {}, { as: ines.token })).body.data.image_url).toBeNull()
})

it('R9: saves changes of the name and of the questionnaire answers', async () => {
  const ines = await newUser(hosts())
  const page = await (await open(ines)).newPage()
  await go(page, 'profile')
  const you = page.getByRole('region', { name: 'You', exact: true })
  await you.getByRole('textbox', { name: 'Full name' }).fill('Ines Quist')
  await you.getByRole('button', { name: 'Save' }).click()
  await expect.poll(async () => (await call(hosts().api, self, {}, { as: ines.token })).body.data.full_name).toBe('Ines Quist')
  const about = page.getByRole('region', { name: 'About you' })
  await about.getByRole('textbox', { name: 'City' }).fill('Szeged')
  const role = about.getByRole('combobox', { name: 'What best describes your role?' })
  const choose = async (word: string) => {
    await role.fill(word)
    const option = page.getByRole('option', { name: word, exact: true })
    await option.waitFor()
    await role.press('ArrowDown')
    await expect.poll(() => option.getAttribute('data-highlighted')).not.toBeNull()
    await role.press('Enter')
  }
  await choose('Other')
  await about.getByRole('textbox', { name: 'Please specify your role' }).fill('x'.repeat(101))
  await about.getByRole('button', { name: 'Save' }).click()
  await about.getByText('Role must be 100 characters or less').waitFor()
  expect(await statusOf(hosts().api, profile, {}, { as: ines.token })).toBe(404)
  await about.getByRole('textbox', { name: 'Please specify your role' }).fill('Boot archaeologist')
  await about.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved').first().waitFor()
  await expect.poll(() => statusOf(hosts().api, profile, {}, { as: ines.token })).toBe(200)
  await page.reload()
  await expect.poll(() => about.getByRole('textbox', { name: 'City' }).inputValue()).toBe('Szeged')
  await expect
    .poll(() => about.getByRole('textbox', { name: 'Please specify your role' }).inputValue())
    .toBe('Boot archaeologist')

  // Choosing from a list is a change like any other: leaving asks, and undoing it leaves no change.
  const leave = () => page.getByRole('navigation', { name: 'Account' }).getByRole('link', { name: 'Security' }).click()
  await choose('Student')
  await leave()
  await page.getByRole('alertdialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Stay' }).click()
  await page.getByRole('alertdialog').waitFor({ state: 'detached' })
  await choose('Other')
  await leave()
  await page.waitForURL('**/account/settings/security')
})

it('changes the password, which ends all other sessions', async () => {
  const ines = await newUser(hosts())
  const page = await (await open(ines)).newPage()
  const phone = await (await open()).newPage()
  await signIn(phone, hosts(), ines)
  await go(page, 'security')
  const sessions = page.getByRole('table', { name: 'Sessions' })
  await sessions.getByText(/Chrome \d+ on Linux/).waitFor()
  // The session of the sign-up, which no browser made, is this page's own.
  await expect.poll(() => sessions.getByRole('row').count()).toBe(3)
  await expect.poll(() => sessions.getByText('This browser').count()).toBe(1)

  const form = page.getByRole('region', { name: 'Password' })
  await form.getByLabel(/^Current password/).fill('not the password')
  await form.getByLabel(/^New password/).fill('nine quiet herons wade')
  await button(page, 'Change password').click()
  await form.getByText('This is not your password').waitFor()
  // Typed text stays.
  await expect.poll(() => form.getByLabel(/^New password/).inputValue()).toBe('nine quiet herons wade')
  await form.getByLabel(/^Current password/).fill(ines.password)
  await button(page, 'Change password').click()
  await page
    .getByRole('region', { name: /^Notifications/ })
    .getByText('Password changed')
    .waitFor()
  await expect.poll(() => form.getByLabel(/^Current password/).inputValue()).toBe('')
  await expect.poll(() => sessions.getByRole('row').count()).toBe(2)

  await phone.reload()
  await giveCredentials(phone, { ...ines, password: 'nine quiet herons wade' })
  await phone.waitForURL(`${hosts().console}/organizations/**`)
})

it('deletes the account after its projects are gone, and the address may sign up again', async () => {
  const ines = await newUser(hosts())
  const { body: project } = await call(hosts().api, createPersonalProject, {}, { as: ines.token, body: { name: 'Greenhouse' } })
  const page = await (await open(ines)).newPage()
  await go(page, 'security')
  const panel = page.getByRole('region', { name: 'Delete account' })
  await panel.getByText('Greenhouse is a personal project.').waitFor()
  await takePictures(page, 'obstacle')
  const opener = panel.getByRole('button', { name: 'Delete account' })
  await expect.poll(() => opener.getAttribute('aria-disabled')).toBe('true')
  await panel.getByRole('link', { name: 'Transfer or delete it' }).click()
  await page.waitForURL(`**/projects/${project.id}/settings/general`)
  await page.goBack()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    panel.getByRole('button', { name: 'Download my data' }).click(),
  ])
  const saved = JSON.parse(await readFile(await file.path(), 'utf8')) as { account: unknown; personal_projects: unknown }
  expect([file.suggestedFilename(), saved]).toMatchObject([
    'account.json',
    { account: { email: ines.email }, personal_projects: [{ name: 'Greenhouse' }] },
  ])

  const ifMatch = { 'if-match': '"1"' }
  const gone = { as: ines.token, body: { confirm_name: 'Greenhouse' }, headers: ifMatch }
  await call(hosts().api, deleteProject, { projectId: project.id }, gone)
  await page.reload()
  await expect.poll(() => opener.getAttribute('aria-disabled')).toBeNull()
  await takePictures(page, 'free')
  await opener.click()
  const question = page.getByRole('alertdialog', { name: 'Delete your account?' })
  const confirm = question.getByRole('button', { name: 'Delete account' })
  await question.getByLabel(/^Password/).fill('not the password')
  await expect.poll(() => confirm.isDisabled()).toBe(true)
  await question.getByLabel(`Type ${ines.email} to confirm`).fill(ines.email)
  await confirm.click()
  await question.getByText('This is not your password').waitFor()
  await takePictures(page, 'question')
  await question.getByLabel(/^Password/).fill(ines.password)
  await confirm.click()
  await page.waitForURL(`${hosts().signIn}/signin**`)
  expect(await statusOf(hosts().api, self, {}, { as: ines.token })).toBe(401)
  await giveCredentials(page, ines)
  await page.getByRole('alert').waitFor()
  expect(await signUpOverHttp(hosts(), ines)).toMatch(/^ses_/)
})

it('ends one session, and all others', async () => {
  const ines = await newUser(hosts())
  const page = await (await open(ines)).newPage()
  for (let n = 0; n < 2; n++) await signIn(await (await open()).newPage(), hosts(), ines)
  await go(page, 'security')
  const sessions = page.getByRole('table', { name: 'Sessions' })
  const rows = () => sessions.getByRole('row').count()
  await expect.poll(rows).toBe(4)
  await sessions.getByRole('button', { name: 'End', exact: true }).first().click()
  await expect.poll(rows).toBe(3)
  await button(page, 'End all others').click()
  await expect.poll(rows).toBe(2)
  await expect.poll(() => button(page, 'End all others').count()).toBe(0)
})

it('lists account events under Security, ten at a time, with address and browser, or says that there are none', async () => {
  const ines = someone()
  const token = await signUpOverHttp(hosts(), ines)
  await call(hosts().api, recordInterstitial, { interstitialId: onboardingKey }, { as: token })
  const page = await (await open({ ...ines, token })).newPage()
  await go(page, 'security')
  const panel = page.getByRole('region', { name: 'Recent activity' })
  const rows = panel.getByRole('table').locator('tbody tr')
  await rows.filter({ hasText: 'Account created' }).waitFor()
  const wrong = async () => {
    await button(page, 'Turn on two-step sign-in').click()
    await dialog(page)
      .getByLabel(/^Password/)
      .fill('not the password')
    await button(page, 'Continue').click()
    await dialog(page).getByText('This is not your password').waitFor()
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
  }
  await wrong()
  await page.reload()
  const failed = rows.filter({ hasText: 'Wrong password entered in an open session' })
  await failed.getByText(/^(::1|127\.0\.0\.1|::ffff:127\.0\.0\.1)$/).waitFor()
  await failed.getByText('This browser').waitFor()
  for (let n = 0; n < 12; n++) await call(hosts().api, updateSelf, {}, { as: token, body: { full_name: `Ines ${n}` } })
  await page.reload()
  await expect.poll(() => rows.count()).toBe(10)
  await expect.poll(() => rows.first().textContent()).toContain('Name changed')
  await panel.getByRole('button', { name: 'Show more' }).click()
  await rows.filter({ hasText: 'Account created' }).waitFor()
  await expect.poll(() => panel.getByRole('button', { name: 'Show more' }).count()).toBe(0)

  const asked = `${hosts().api}/users/self/events*`
  await page.route(asked, (route) => route.abort())
  await page.reload()
  await panel.getByRole('button', { name: 'Try again' }).waitFor()
  await page.unroute(asked)
  const headers = { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' }
  await page.route(asked, (route) => route.fulfill({ headers, json: { events: [], next_cursor: null } }))
  await panel.getByRole('button', { name: 'Try again' }).click()
  await panel.getByText('Sign-ins and changes of your account are listed here.').waitFor()
})
