import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { expect, it, onTestFinished, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import {
  createEnrollmentToken,
  type EnrollmentToken,
  previewTokenRevocation,
  revokeEnrollmentToken,
} from '../../../contract/fleet/enrollment-tokens'
import type { Project } from '../../../contract/accounts/projects'
import type { Api } from '../../../src/api/client'
import { unanswered } from '../../../src/api/failure'
import { enrollmentTokensQuery } from '../../../src/api/queries/fleet/enrollment-tokens'
import { permissionsQuery } from '../../../src/api/queries/accounts/permissions'
import { projectQuery } from '../../../src/api/queries/accounts/projects'
import { tagsQuery } from '../../../src/api/queries/fleet/tags'
import { AddTokenDialog } from '../../../src/features/access/tokens/add-token-dialog'
import { EnrollmentTokens } from '../../../src/features/access/tokens/enrollment-tokens'
import { createModals } from '../../../src/system/modals/modals'
import { makeSystem, mount } from './system'

// The fields that are read.
const made = { name: 'Line 1', token: 'enr_1', max_uses: 100, expires_at: null } as unknown as EnrollmentToken
const project = { settings: { hardware_models: [], auto_accept_devices: true } } as unknown as Project

/** The dialog with a server that creates tokens so. */
const open = (create: (options: unknown) => EnrollmentToken | Promise<EnrollmentToken>) => {
  const api = (async (endpoint: unknown, _params: unknown, options: unknown) =>
    endpoint === createEnrollmentToken ? create(options) : new Promise(() => {})) as unknown as Api // Implements only one endpoint.
  const system = makeSystem()
  system.queryClient.setDefaultOptions({ queries: { staleTime: Infinity, retry: false } })
  system.queryClient.setQueryData(projectQuery(api, 'p1').queryKey, project)
  system.queryClient.setQueryData(tagsQuery(api, 'p1').queryKey, [])
  const onClose = vi.fn<() => void>()
  const top = createRootRoute({ component: () => <AddTokenDialog projectId="p1" onClose={onClose} /> })
  const router = createRouter({ routeTree: top, history: createMemoryHistory({ initialEntries: ['/'] }) })
  const modals = createModals()
  system.modals.actor = modals
  onTestFinished(() => modals.stop())
  // It has other routes than the router of the console.
  mount({ ...system, api }, <RouterProvider router={router as never} />)
  return onClose
}

it('an enrollment token whose answer was lost is created once: a later try sends the same request', async () => {
  const sent: unknown[] = []
  open((options) => {
    sent.push(options)
    if (sent.length === 1) throw unanswered('timeout', undefined)
    return made
  })
  await page.getByRole('textbox', { name: 'Name' }).fill('Line 1')
  await page.getByRole('button', { name: 'Add token' }).click()
  await expect.element(page.getByText('The server did not answer in time.')).toBeVisible()
  await expect.element(page.getByText('Try it again: it is not done twice.', { exact: false })).toBeVisible()
  const now = Date.now.bind(Date)
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + 5000)
  onTestFinished(() => clock.mockRestore())
  await page.getByRole('button', { name: 'Add token' }).click()
  await expect.element(page.getByText('The token is shown only now.', { exact: false })).toBeVisible()
  expect(sent).toHaveLength(2)
  expect(sent[1]).toEqual(sent[0])
})

const question = (name: string) => page.getByRole('alertdialog', { name })
const startCreating = async () => {
  const answer: { resolve?: (made: EnrollmentToken) => void; reject?: (error: Error) => void } = {}
  const onClose = open(() => new Promise((resolve, reject) => Object.assign(answer, { resolve, reject })))
  await page.getByRole('textbox', { name: 'Name' }).fill('Line 1')
  await page.getByRole('button', { name: 'Add token' }).click()
  await expect.element(page.getByRole('button', { name: 'Adding...' })).toBeVisible()
  return { answer, onClose }
}
const leavings = {
  Escape: () => userEvent.keyboard('{Escape}'),
  Cancel: () => page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click(),
  'a press beside the window': () => userEvent.click(document.body, { position: { x: 2, y: 2 }, force: true }),
}

it.each(Object.entries(leavings))(
  'while a token is created, %s asks, and the answer ends the question and shows the token',
  async (_, leave) => {
    const { answer, onClose } = await startCreating()
    await leave()
    await expect.element(question('Close while this is being done?')).toBeVisible()
    answer.resolve?.(made)
    await expect.element(question('Close while this is being done?')).not.toBeInTheDocument()
    await expect.element(page.getByText('The token is shown only now.', { exact: false })).toBeVisible()
    expect(onClose).not.toHaveBeenCalled()
  },
)

it('a question that was open when the answer of a token was lost asks about the lost answer', async () => {
  const { answer, onClose } = await startCreating()
  await userEvent.keyboard('{Escape}')
  await expect.element(question('Close while this is being done?')).toBeVisible()
  answer.reject?.(unanswered('timeout', undefined))
  await expect.element(question('Close without an answer?')).toBeVisible()
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await expect.poll(() => onClose.mock.calls.length).toBe(1)
})

it('the window that shows an enrollment token once is closed by its button only', async () => {
  const onClose = open(() => made)
  await page.getByRole('textbox', { name: 'Name' }).fill('Line 1')
  await page.getByRole('button', { name: 'Add token' }).click()
  const shown = page.getByText('The token is shown only now.', { exact: false })
  await expect.element(shown).toBeVisible()
  await userEvent.keyboard('{Escape}')
  await userEvent.click(document.body, { position: { x: 2, y: 2 }, force: true })
  await expect.element(shown).toBeVisible()
  expect(onClose).not.toHaveBeenCalled()
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await expect.poll(() => onClose.mock.calls.length).toBe(1)
})

it('an enrollment token that is to be revoked twice before its question has loaded is asked about once', async () => {
  const token = {
    ...made,
    id: 't1',
    project_id: 'p1',
    state: 'active',
    prefix: 'enr_7oFP',
    authority: null,
    uses: 0,
    hardware_model: null,
    auto_accept: true,
  }
  let answer: (value: unknown) => void = () => {}
  const devices = new Promise((resolve) => (answer = resolve))
  const revoked = vi.fn<() => object>(() => ({}))
  const api = (async (endpoint: unknown) =>
    endpoint === previewTokenRevocation
      ? devices
      : endpoint === revokeEnrollmentToken
        ? revoked()
        : new Promise(() => {})) as unknown as Api // Implements two endpoints.
  const system = makeSystem()
  system.queryClient.setDefaultOptions({ queries: { staleTime: Infinity, retry: false } })
  system.queryClient.setQueryData(projectQuery(api, 'p1').queryKey, project)
  system.queryClient.setQueryData(enrollmentTokensQuery(api, 'p1').queryKey, [token as EnrollmentToken])
  system.queryClient.setQueryData(permissionsQuery(api, null).queryKey, { grants: null, baseRole: null })
  const top = createRootRoute()
  const access = createRoute({
    getParentRoute: () => top,
    path: '/organizations/$organizationId/access',
    component: () => <EnrollmentTokens projectId="p1" renew={undefined} onClose={() => {}} />,
  })
  const history = createMemoryHistory({ initialEntries: ['/organizations/none/access'] })
  const router = createRouter({ routeTree: top.addChildren([access]), history })
  const modals = createModals()
  system.modals.actor = modals
  onTestFinished(() => modals.stop())
  // It has other routes than the router of the console.
  mount({ ...system, api }, <RouterProvider router={router as never} />)
  const menu = page.getByRole('button', { name: 'Actions of Line 1' })
  for (const _ of [1, 2]) {
    await menu.click()
    await page.getByRole('menuitem', { name: 'Revoke…' }).click()
    await expect.element(page.getByRole('menu')).not.toBeInTheDocument()
  }
  answer({ total: 0, devices: [] })
  const question = page.getByRole('alertdialog', { name: 'Revoke Line 1?' })
  await expect.element(question).toBeVisible()
  await page.getByRole('button', { name: 'Revoke', exact: true }).click()
  await expect.element(question).not.toBeInTheDocument()
  expect(revoked).toHaveBeenCalledTimes(1)
})
