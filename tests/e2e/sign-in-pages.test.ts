import { beforeAll, expect, it } from 'vitest'
import { beginSecondFactor, confirmSecondFactor } from '../../contract/accounts/account'
import { createInvites } from '../../contract/accounts/invites'
import { createOrganization } from '../../contract/accounts/organization'
import { codeAt } from '../support/account'
import { openPageCheck, withAxe } from './every-route/check-page'
import { checkInThemes } from './every-route/check-in-themes'
import type { Page } from './support/browser'
import { call } from './support/call'
import { useConsole } from './support/console'
import { newUser, subscriber, type Visitor } from './support/hosts'
import { mailsTo } from './support/outbox'
import { someone } from './support/people'

// Of its own: the outbox shows the mails of a whole installation.
const { hosts, open } = useConsole({})
let owner: Visitor
let careful: Visitor
beforeAll(async () => {
  owner = await subscriber(hosts())
  careful = await newUser(hosts())
  const as = careful.token
  const { body } = await call(hosts().api, beginSecondFactor, {}, { as, body: { current_password: careful.password } })
  await call(hosts().api, confirmSecondFactor, {}, { as, body: { code: codeAt(body.secret, new Date()) } })
})

const at = (path: string) => `${hosts().signIn}${path}`
const send = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const fill = (page: Page, label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text)

const signIn = async (page: Page, { email, password }: { email: string; password: string }) => {
  await page.goto(at('/signin'))
  await fill(page, 'E-mail', email)
  await fill(page, 'Password', password)
  await send(page, 'Sign in')
}

/** What is wider than the page's column, and lies under the illustration beside it. */
const findWide = (page: Page) =>
  page.locator('main').evaluate((main) => {
    const { right } = main.getBoundingClientRect()
    const wide = [...main.querySelectorAll('*')].filter((one) => one.getBoundingClientRect().right > right + 1)
    return wide.map((one) => `${one.tagName} is wider than the page: ${one.textContent?.slice(0, 40)}`)
  })

const invite = async (message = '', name = 'Orchard-Gateways-of-the-irrigation-network-with-their-cameras') => {
  const as = owner.token
  const { body } = await call(hosts().api, createOrganization, {}, { as, body: { name } })
  const guest = await newUser(hosts())
  const wanted = { emails: [guest.email], base_role: 'viewer' as const, message }
  await call(hosts().api, createInvites, { organizationId: body.public_id }, { as, body: wanted })
  return guest
}
/** The newest mail of the outbox with such a link. */
const linkTo = async (page: Page, part: string): Promise<string> => {
  await page.goto(at('/outbox'))
  return (await page.locator(`a[href*="${part}"]`).first().getAttribute('href')) ?? ''
}

/** Visits the pages of the host, each by its heading; findings have the page's name. */
const walk = async (
  steps: (look: (name: string, heading: string, level?: number) => Promise<void>, page: Page) => Promise<void>,
  visitor?: Visitor,
) => {
  const context = await open(visitor)
  await withAxe(context)
  const page = await context.newPage()
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  const { settle } = openPageCheck(page)
  const findings: string[] = []
  const look = async (name: string, heading: string, level = 1) => {
    await page.getByRole('heading', { level, name: heading, exact: true }).waitFor()
    const found = [...(await checkInThemes(page, settle, `sign-in ${name}`)), ...(await findWide(page))]
    findings.push(...found.map((one) => `${name}: ${one}`))
  }
  await steps(look, page)
  expect(findings).toEqual([])
}

it('the pages of signing in break no rule of axe and do not scroll sideways, in light and dark, wide and narrow', async () => {
  await walk(async (look, page) => {
    await page.goto(hosts().console)
    await page.waitForURL(`${hosts().signIn}/signin**`)
    await look('signin', 'Sign in')
    await send(page, 'Sign in')
    await look('signin-empty', 'Sign in')
    await signIn(page, { email: owner.email, password: 'not the password' })
    await look('signin-wrong', 'Sign in')
    await signIn(page, careful)
    await look('code', 'Enter your code')
    await fill(page, 'Code', '000000')
    await send(page, 'Sign in')
    await look('code-wrong', 'Enter your code')
    await page.getByRole('link', { name: 'Use a recovery code' }).click()
    await look('code-recovery', 'Use a recovery code')
    await page.goto(at('/signin?told=late'))
    await look('signin-late', 'Sign in')
    for (const _ of [1, 2, 3, 4, 5, 6]) await signIn(page, { email: 'nobody@hedgerow.example', password: 'not the password' })
    await look('signin-throttled', 'Too many attempts')
    await page.goto(at('/no/such/page'))
    await look('missing', 'The Requested Resource Cannot Be Found')
    await page.context().clearCookies()
    await page.goto(at('/signin'))
    await page.context().clearCookies()
    await fill(page, 'E-mail', owner.email)
    await fill(page, 'Password', owner.password)
    await send(page, 'Sign in')
    await look('form-refused', 'Something went wrong')
    await signIn(page, owner)
    await page.waitForURL(`${hosts().console}/**`)
    await page.goto(at('/signin'))
    await look('welcome-back', 'Welcome back')
  })
})

it('the pages of signing up and of a new password break no rule of axe and do not scroll sideways', async () => {
  await walk(async (look, page) => {
    const [person, forgetful] = [someone(), await newUser(hosts())]
    await page.goto(at('/signup'))
    await look('signup', 'Sign up')
    await send(page, 'Sign up')
    await look('signup-empty', 'Sign up')
    await fill(page, 'Full name', person.name)
    await fill(page, 'E-mail', person.email)
    await send(page, 'Sign up')
    await look('signup-sent', 'Check your mail')
    await page.goto(await linkTo(page, '/signup/'))
    await look('signup-confirm', 'Choose a password')
    await fill(page, 'Password', 'short')
    await send(page, 'Confirm and sign in')
    await look('signup-confirm-wrong', 'Choose a password')
    await page.goto(at('/signup/no-such-link'))
    await look('link-gone', 'The Requested Resource Cannot Be Found')
    await page.goto(at('/forgot'))
    await look('forgot', 'Forgot your password?')
    await send(page, 'Send link')
    await look('forgot-empty', 'Forgot your password?')
    await fill(page, 'E-mail', forgetful.email)
    await send(page, 'Send link')
    await page.goto(await linkTo(page, '/reset/'))
    await look('reset', 'Choose a new password')
    await fill(page, 'New password', 'short')
    await send(page, 'Change password')
    await look('reset-wrong', 'Choose a new password')
    await fill(page, 'New password', forgetful.password)
    await send(page, 'Change password')
    await look('signin-reset', 'Sign in')
    await invite('', 'W'.repeat(60))
    await page.goto(at('/outbox'))
    await look('outbox', 'Outbox')
  })
})

it('the pages of a new user with an invite break no rule of axe and do not scroll sideways', async () => {
  await walk(async (look, page) => {
    const as = owner.token
    const { body } = await call(hosts().api, createOrganization, {}, { as, body: { name: 'Bench' } })
    const wanted = { emails: [someone().email], base_role: 'viewer' as const, message: '' }
    await call(hosts().api, createInvites, { organizationId: body.public_id }, { as, body: wanted })
    await page.goto(await linkTo(page, '/invites/'))
    await look('invite-new', 'Join Bench')
    await page.getByRole('link', { name: 'Sign up to answer' }).click()
    await look('signup-invited', 'Sign up')
    await send(page, 'Sign up')
    await look('signup-invited-wrong', 'Sign up')
  })
})

it('the pages of an invite and of the billing stand-in break no rule of axe and do not scroll sideways', async () => {
  await walk(async (look, page) => {
    const name = 'Orchard-Gateways-of-the-irrigation-network-with-their-cameras'
    const guest = await invite('The bench needs somebody who has seen a boot chain break.')
    const link = await linkTo(page, '/invites/')
    await page.goto(link)
    await look('invite', `Join ${name}`)
    await page.goto(at('/billing'))
    await look('billing-outsider', 'Billing')
    await signIn(page, owner)
    await page.waitForURL(`${hosts().console}/**`)
    await page.goto(link)
    await look('invite-other', `Join ${name}`)
    await page.goto(at('/billing'))
    await look('billing', 'Billing')
    await page.getByRole('listitem').first().getByRole('button', { name: 'Subscribe to production' }).click()
    await page.waitForURL(`${hosts().console}/**`)
    await page.goto(at('/billing?done=1'))
    await look('billing-done', 'Billing')
    await page.goto(link)
    await send(page, 'Use another account')
    await fill(page, 'E-mail', guest.email)
    await fill(page, 'Password', guest.password)
    await send(page, 'Sign in')
    await look('invite-mine', `Join ${name}`)
    await send(page, 'Decline')
    await look('invite-declined', 'Declined')
    await page.goto(link)
    await look('invite-ended', `Invite to ${name}`)
    await page.goto(at('/invites/no-such-invite'))
    await look('invite-missing', 'The Requested Resource Cannot Be Found')
  })
})

it('openings of the console within a minute while signed out lead to the sign-in page, and each tab gets in', async () => {
  const person = await newUser(hosts())
  const context = await open()
  const [page, other] = [await context.newPage(), await context.newPage()]
  const opening = async (tab: Page) => {
    await tab.goto(hosts().console)
    await tab.waitForURL(`${hosts().signIn}/signin**`)
    await tab.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
  }
  await opening(page)
  await opening(other)
  await opening(page)
  await opening(page)
  for (const tab of [page, other]) {
    await fill(tab, 'E-mail', person.email)
    await fill(tab, 'Password', person.password)
    await send(tab, 'Sign in')
    await tab.getByRole('heading', { name: /^Projects/ }).waitFor()
  }
})

it('an address is changed on the profile page and behind the links of both mails, and a change is withdrawn', async () => {
  const ines = await newUser(hosts())
  const { email } = someone()
  await walk(async (look, page) => {
    const panel = page.getByRole('region', { name: 'E-mail address' })
    const ask = async (wanted: string) => {
      await page.goto(`${hosts().console}/account/settings/profile`)
      await panel.getByRole('button', { name: 'Change', exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel(/^New e-mail address/).fill(wanted)
      await dialog.getByLabel(/^Password/).fill(ines.password)
      await look('email dialog', 'Change e-mail address', 2)
      await send(page, 'Send links')
      await panel.getByText(`${wanted} `).first().waitFor()
    }
    const follow = async (to: string) => (await mailsTo(page, hosts(), to)).locator('a[href*="/email/"]').first().click()
    await ask(email)
    await panel.getByText(`Neither ${email} nor ${ines.email} has confirmed yet.`).waitFor()
    await look('email change', 'Profile')
    await follow(email)
    await look('email link', 'Change the e-mail address')
    await send(page, 'Confirm change')
    await look('email confirmed', 'Confirmed')
    await follow(ines.email)
    await send(page, 'Confirm change')
    await look('email changed', 'Your address was changed')
    await page.getByRole('link', { name: 'Open your profile' }).click()
    await panel.getByText(`${email} is used to sign in`).waitFor()
    await ask(`again.${email}`)
    await follow(email)
    await send(page, 'This was not me')
    await look('email withdrawn', 'The change was withdrawn')
  }, ines)
})
