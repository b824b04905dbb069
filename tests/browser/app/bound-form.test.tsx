import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
  useRouter,
} from '@tanstack/react-router'
import { object } from 'superstruct'
import { expect, it, onTestFinished, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { text, integerParam } from '../../../contract/core/rules'
import { refused, unanswered } from '../../../src/api/failure'
import { useBack } from '../../../src/system/page/back'
import { BoundForm } from '../../../src/system/form/bound-form'
import { useForm } from '../../../src/system/form/form'
import { createModals } from '../../../src/system/modals/modals'
import { NumberField, TextField } from '../../../src/ui/form/text-field'
import { makeSystem, mount } from './system'

const Interval = object({ name: text('Name', { max: 40 }), seconds: integerParam('Interval', 30, 600) })
type Interval = { name: string; seconds: number }
const saved = vi.fn<(value: Interval, extra: { idempotencyKey: string }) => Promise<void>>()

const Sample = () => {
  const router = useRouter()
  const back = useBack('/list')
  const form = useForm({ schema: Interval, save: saved, onSaved: () => void router.navigate({ href: '/list' }) })
  return (
    <BoundForm form={form} onCancel={back} submitLabel="Generate" submittingLabel="Generating...">
      <TextField {...form.field('name')} label="Name" required defaultValue="Orchard" />
      <NumberField {...form.field('seconds')} label="Interval" required unit="s" defaultValue="60" />
      <button type="button" onClick={() => void router.navigate({ href: '/list' })}>
        Elsewhere
      </button>
    </BoundForm>
  )
}

const Note = object({ note: text('Note', { max: 40 }) })

/** A page with two forms. */
const Two = () => {
  const form = useForm({ schema: Note, save: () => Promise.resolve(), onSaved: () => {} })
  return (
    <>
      <Sample />
      <BoundForm form={form}>
        <TextField {...form.field('note')} label="Note" defaultValue="" />
      </BoundForm>
    </>
  )
}

/** A console of two pages: a list and, opened from it, the form. */
const visit = async (entries: string[]) => {
  saved.mockReset()
  const top = createRootRoute()
  const routes = [
    createRoute({ getParentRoute: () => top, path: '/list', component: () => <h1>The list</h1> }),
    createRoute({ getParentRoute: () => top, path: '/add', component: Sample }),
    createRoute({ getParentRoute: () => top, path: '/two', component: Two }),
  ]
  const router = createRouter({
    routeTree: top.addChildren(routes),
    history: createMemoryHistory({ initialEntries: [entries[0] ?? '/'] }),
  })
  const system = makeSystem()
  const modals = createModals()
  system.modals.actor = modals
  onTestFinished(() => modals.stop())
  mount(system, <RouterProvider router={router} />)
  for (const entry of entries.slice(1)) {
    await expect.poll(() => router.state.status).toBe('idle')
    router.history.push(entry)
  }
  await expect.element(name).toBeVisible()
  return router
}
const name = page.getByRole('textbox', { name: 'Name', exact: true })
const interval = page.getByRole('textbox', { name: 'Interval', exact: true })
const button = (label: string) => page.getByRole('button', { name: label, exact: true })

it('§2, §3: the form wrapper starts with the given values, shows the given labels, and saves what its schema accepts', async () => {
  const router = await visit(['/add'])
  await expect.element(name).toHaveValue('Orchard')
  await expect.element(interval).toHaveValue('60')
  await interval.fill('7')
  await name.fill(' ')
  await button('Generate').click()
  // §5: the schema's errors appear on submit, beneath each field, and screen readers get all of them in one line.
  await expect.element(name).toHaveAccessibleDescription('Name is required')
  await expect.element(interval).toHaveAccessibleDescription('Interval must be between 30 and 600')
  await expect.element(name).toHaveFocus()
  await expect.element(page.getByRole('status')).toHaveTextContent(/^2 fields to correct: Name, Interval$/)
  expect(saved).not.toHaveBeenCalled()
  await expect.element(interval).toHaveValue('7')

  let finish = () => {}
  saved.mockReturnValue(new Promise((resolve) => (finish = resolve)))
  await name.fill('Orchard South')
  await interval.fill('120')
  await button('Generate').click()
  await expect.element(button('Generating...')).toBeDisabled()
  expect(saved.mock.calls.map(([value]) => value)).toEqual([{ name: 'Orchard South', seconds: 120 }])
  finish()
  await expect.element(page.getByRole('heading', { name: 'The list' })).toBeVisible()
  expect(router.state.location.pathname).toBe('/list')
})

it('a form whose answer was lost is sent again with the same key until it is carried out', async () => {
  await visit(['/add'])
  const running = { error: { code: 'idempotency_in_progress', message: 'Still running', details: [], request_id: 'r' } }
  const failures = [
    unanswered('timeout', undefined),
    refused(new Response('', { status: 504 }), undefined),
    refused(new Response('', { status: 409 }), running),
    refused(new Response('', { status: 409 }), undefined),
  ]
  for (const failure of failures) {
    saved.mockRejectedValueOnce(failure)
    const sent = saved.mock.calls.length
    await button('Generate').click()
    await expect.poll(() => saved.mock.calls.length).toBe(sent + 1)
    await expect.element(button('Generate')).toBeEnabled()
  }
  saved.mockResolvedValueOnce()
  await button('Generate').click()
  await expect.element(page.getByRole('heading', { name: 'The list' })).toBeVisible()
  const [first, ...others] = saved.mock.calls.map(([, { idempotencyKey }]) => idempotencyKey)
  expect(others.map((key) => key === first)).toEqual([true, true, true, true])
})

const lost = unanswered('network_error', undefined)
const mismatch = { error: { code: 'idempotency_mismatch', message: 'Used', details: [], request_id: 'r' } }

it('a lost answer is not known, and changed values are sent with its key, so that nothing is made twice', async () => {
  await visit(['/add'])
  saved.mockRejectedValueOnce(lost)
  await button('Generate').click()
  await expect.element(page.getByText('It is not known whether this was done. Try it again: it is not done twice.')).toBeVisible()
  await name.fill('Orchard South')
  saved.mockRejectedValueOnce(refused(new Response('', { status: 422 }), mismatch))
  await button('Generate').click()
  await expect
    .element(page.getByText('The first try was carried out, without your changes since', { exact: false }))
    .toBeVisible()
  saved.mockResolvedValueOnce()
  await button('Generate').click()
  await expect.element(page.getByRole('heading', { name: 'The list' })).toBeVisible()
  const keys = saved.mock.calls.map(([, { idempotencyKey }]) => idempotencyKey)
  expect(keys.map((key) => key === keys[0])).toEqual([true, true, false])
})

it('asks before a form is left whose answer was lost, also if nothing was typed', async () => {
  await visit(['/list', '/add'])
  saved.mockRejectedValueOnce(lost)
  await button('Generate').click()
  await expect.element(button('Generate')).toBeEnabled()
  await button('Elsewhere').click()
  await expect.element(page.getByRole('alertdialog', { name: 'Leave without an answer?', exact: true })).toBeVisible()
  await button('Leave').click()
  await expect.element(page.getByRole('heading', { name: 'The list' })).toBeVisible()
})

it('asks another question while a save runs, which ends or changes with the save', async () => {
  await visit(['/list', '/add'])
  const running = page.getByRole('alertdialog', { name: 'Leave while this is being done?', exact: true })
  let answer: { resolve: () => void; reject: (error: unknown) => void } | undefined
  saved.mockImplementation(() => new Promise((resolve, reject) => (answer = { resolve, reject })))
  await name.fill('Orchard South')
  await button('Generate').click()
  await button('Elsewhere').click()
  await expect.element(running).toBeVisible()
  answer?.reject(refused(new Response('', { status: 409 }), undefined))
  const unsaved = page.getByRole('alertdialog', { name: 'Leave without saving?', exact: true })
  await expect.element(unsaved).toBeVisible()
  await expect.element(running).not.toBeInTheDocument()
  await button('Stay').click()
  await expect.element(unsaved).not.toBeInTheDocument()
  await button('Generate').click()
  await button('Elsewhere').click()
  await expect.element(running).toBeVisible()
  answer?.resolve()
  await expect.element(page.getByRole('heading', { name: 'The list' })).toBeVisible()
  await expect.element(running).not.toBeInTheDocument()
})

it('a refusal has no title of a fault: it says that nothing was changed, and what is so now', async () => {
  await visit(['/add'])
  const taken = {
    error: { code: 'already_held', message: 'Your role has this permission already', details: [], request_id: 'r' },
  }
  saved.mockRejectedValueOnce(refused(new Response('', { status: 409 }), taken))
  await button('Generate').click()
  await expect.element(page.getByRole('alert')).toHaveTextContent('Nothing was changedYour role has this permission already')
})

it('a refusal by the plan says what it allows, and leads to the page where the plan is changed', async () => {
  await visit(['/add'])
  const message = 'The developer plan allows 25 devices in a project, and 25 are in use.'
  const full = { error: { code: 'plan_limit', message, details: [], request_id: 'r' } }
  saved.mockRejectedValueOnce(refused(new Response('', { status: 402 }), full))
  await button('Generate').click()
  await expect.element(page.getByText(message)).toBeVisible()
  const plans = page.getByRole('link', { name: 'Subscriptions' })
  await expect.element(plans).toHaveAttribute('href', '/account/settings/subscriptions')
})

it('asks before unsaved input is left, but not without input or when it was undone', async () => {
  const router = await visit(['/list', '/add'])
  const question = page.getByRole('alertdialog', { name: 'Leave without saving?', exact: true })
  await interval.fill('90')
  await button('Elsewhere').click()
  await expect.element(question).toBeVisible()
  await userEvent.keyboard('{Escape}')
  await expect.element(question).not.toBeInTheDocument()
  await expect.element(interval).toHaveValue('90')
  await button('Elsewhere').click()
  await button('Leave').click()
  await expect.element(page.getByRole('heading', { name: 'The list' })).toBeVisible()
  // It fades out over the list.
  await expect.element(question).not.toBeInTheDocument()

  router.history.push('/add')
  await interval.fill('90')
  await interval.fill('60')
  await button('Elsewhere').click()
  await expect.element(page.getByRole('heading', { name: 'The list' })).toBeVisible()
  expect(question.query()).toBeNull()
})

it('asks once before a page with two changed forms is left, and again at the next page', async () => {
  const router = await visit(['/list', '/two'])
  const question = page.getByRole('alertdialog', { name: 'Leave without saving?', exact: true })
  const note = page.getByRole('textbox', { name: 'Note', exact: true })
  for (const last of [false, true]) {
    await interval.fill('90')
    await note.fill('Half')
    await button('Elsewhere').click()
    await expect.element(question).toBeVisible()
    await button('Leave').click()
    await expect.element(page.getByRole('heading', { name: 'The list' })).toBeVisible()
    await expect.element(question).not.toBeInTheDocument()
    if (!last) router.history.push('/two')
  }
})

it('asks before what was typed while the form was saved is left', async () => {
  await visit(['/list', '/add'])
  let finish = () => {}
  saved.mockReturnValue(new Promise((resolve) => (finish = resolve)))
  await name.fill('Orchard South')
  await button('Generate').click()
  await expect.element(button('Generating...')).toBeVisible()
  await interval.fill('90')
  // The page is left after a save.
  finish()
  await expect.element(page.getByRole('alertdialog', { name: 'Leave without saving?', exact: true })).toBeVisible()
  await userEvent.keyboard('{Escape}')
  await expect.element(interval).toHaveValue('90')
})

it('§2: Cancel goes to the fallback and keeps the query when there is no own history', async () => {
  const router = await visit(['/add?from=mail&from=again'])
  await button('Cancel').click()
  await expect.element(page.getByRole('heading', { name: 'The list' })).toBeVisible()
  expect([router.state.location.pathname, router.state.location.search]).toEqual(['/list', { from: ['mail', 'again'] }])
})
