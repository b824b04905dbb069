import { interstitials, onboardingKey, recordInterstitial } from '../../../contract/accounts/interstitials'
import { saveProfile } from '../../../contract/accounts/profile'
import { self } from '../../../contract/accounts/users'
import type { ports, questionnaireMachine } from '../../../machines/questionnaire/questionnaire.machine'
import { questionnaireModel } from '../../../machines/questionnaire/questionnaire.model'
import type { Page } from '../support/browser'
import { call } from '../support/call'
import { type Hosts, anonymousVisitor, type Visitor } from '../support/hosts'
import { signOutElsewhere } from './second-tab'
import type { Gestures } from './gestures'
import { passing } from './passing'
import { openTestPage, type TestPage } from './test-page'
import { callOf } from './request-script'

type World = TestPage & { hosts: Hosts; person: Visitor }

const user = callOf(self)
const standing = callOf(interstitials)
const recording = callOf(recordInterstitial)
const saving = callOf(saveProfile)

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Set up your account' })
const customRole = (page: Page) => dialog(page).getByRole('textbox', { name: 'Please specify your role' })
const message = (page: Page) => dialog(page).getByText('Role must be 100 characters or less', { exact: true })
const submit = (page: Page) => dialog(page).getByRole('button', { name: 'Submit', exact: true })
const submitting = (page: Page) => dialog(page).getByRole('button', { name: 'Submitting', exact: true })
/** The only other modal of the page: on a small screen it contains the header's links. */
const menu = (page: Page) => page.getByRole('dialog').filter({ hasNot: page.getByText('Set up your account') })

/** Visible even where a modal hides it from assistive technology. */
const projects = (page: Page) => page.locator('h1', { hasText: 'Projects' })
const away = (page: Page) => dialog(page).waitFor({ state: 'detached' })
const roles: Readonly<Record<string, string>> = { student: 'Student', other: 'Other' }

/** Not seen yet, whatever an earlier path did. */
const forget = 'delete from interstitials where user_id = (select id from users where email = $1)'

export const questionnaire = {
  model: questionnaireModel,
  prepare: anonymousVisitor,
  open: async (console, person): Promise<World> => {
    const hosts = console.hosts()
    await hosts.sql(forget, [person.email])
    const stage = await openTestPage(await console.open(person))
    await stage.page.setViewportSize({ width: 400, height: 800 })
    stage.wire.hold(user, standing, recording, saving)
    await stage.page.goto(`${hosts.console}/organizations/none/projects`)
    await stage.wire.held(user)
    return { ...stage, hosts, person }
  },
  possible: (at, move) => {
    // R10: after a dismissal the server is not asked, so there is no answer to hold.
    if (move.actorId === 'standing') return move.output !== 'dismissed'
    // Another modal can be opened only when the questionnaire does not cover the page.
    if (move.type === 'stage.taken') return at.context.free && (at.matches('checking') || at.matches('seen'))
    return move.type !== 'stage.freed' || !at.context.free
  },
  events: {
    'session.opened': ({ wire }) => wire.pass(user),
    'session.closed': (world) => signOutElsewhere(world, world.hosts),
    'stage.taken': async ({ page }) => {
      await page.getByRole('button', { name: 'Menu' }).first().click()
      await menu(page).waitFor()
    },
    'stage.freed': ({ page }) => page.keyboard.press('Escape'),
    'role.chosen': async ({ page }, { role }) => {
      const name = roles[role] ?? role
      await dialog(page).getByRole('combobox', { name: 'What best describes your role?' }).fill(name)
      await page.getByRole('option', { name, exact: true }).click()
    },
    'customRole.typed': ({ page }, { length }) => customRole(page).fill('x'.repeat(length)),
    'questionnaire.submitted': ({ page }) => submit(page).click(),
    'questionnaire.dismissed': ({ page }) => dialog(page).getByRole('button', { name: 'Dismiss', exact: true }).click(),
  },
  answers: {
    standing: {
      done: async ({ wire, hosts, person }, found) => {
        const elsewhere = { interstitialId: onboardingKey }
        if (found === 'seen') await call(hosts.api, recordInterstitial, elsewhere, { as: person.token })
        await wire.pass(standing)
      },
      error: ({ wire }, status) => wire.refuse(standing, status),
    },
    recording: { done: ({ wire }) => wire.pass(recording), error: ({ wire }, status) => wire.refuse(recording, status) },
    saving: { done: ({ wire }) => wire.pass(saving), error: ({ wire }, status) => wire.refuse(saving, status) },
  },
  states: {
    asleep: async ({ page, wire }) => {
      await away(page)
      await wire.held(standing, 0)
    },
    checking: async ({ page, wire }) => {
      await wire.held(standing)
      await away(page)
    },
    seen: async ({ page, wire }) => {
      await projects(page).waitFor()
      await wire.held(standing, 0)
      await away(page)
    },
    waiting: async ({ page, wire }) => {
      await wire.held(standing, 0)
      await menu(page).waitFor()
      await away(page)
    },
    'open.listed': async ({ page, wire }) => {
      await submit(page).waitFor()
      await customRole(page).waitFor({ state: 'detached' })
      await wire.asked(recording, 0)
    },
    'open.other.measuring': passing,
    'open.other.fitting': async ({ page }) => {
      await customRole(page).waitFor()
      await message(page).waitFor({ state: 'detached' })
    },
    'open.other.tooLong': async ({ page, wire }) => {
      await message(page).waitFor()
      await wire.asked(recording, 0)
    },
    'submitting.recordingSeen': async ({ page, wire }) => {
      await wire.held(recording)
      await submitting(page).and(page.locator(':disabled')).waitFor()
      await wire.asked(saving, 0)
    },
    'submitting.saving': async ({ page, wire }) => {
      await wire.held(saving)
      await submitting(page).and(page.locator(':disabled')).waitFor()
      await wire.asked(recording, 1)
    },
    // §4: without a message, and nothing that was recorded or saved is sent again.
    closed: async ({ page, wire }, _, did) => {
      await away(page)
      await projects(page).waitFor()
      await page.getByRole('status').waitFor({ state: 'detached' })
      await wire.asked(recording, did('keepDraft'))
    },
  },
} satisfies Gestures<typeof questionnaireMachine, typeof ports, World, Visitor>
