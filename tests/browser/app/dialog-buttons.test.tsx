import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { expect, it, onTestFinished } from 'vitest'
import { page } from 'vitest/browser'
import { RenewDialog, TurnOffDialog, TurnOnDialog } from '../../../src/features/account/factor-dialogs'
import { AskForAccess } from '../../../src/system/scope/ask-for-access'
import { createModals } from '../../../src/system/modals/modals'
import { makeSystem, mount } from './system'

const place = '/organizations/$organizationId/projects'
const open = (children: ReactNode) => {
  const top = createRootRoute()
  const projects = createRoute({ getParentRoute: () => top, path: place, component: () => children })
  const system = makeSystem()
  const modals = createModals()
  system.modals.actor = modals
  onTestFinished(() => modals.stop())
  const history = createMemoryHistory({ initialEntries: [place.replace('$organizationId', '01K00000000000000000000000')] })
  mount(system, <RouterProvider router={createRouter({ routeTree: top.addChildren([projects]), history })} />)
}

const buttons = () => page.getByRole('dialog').getByRole('button')
const close = () => {}

it.each([
  ['Continue', <TurnOnDialog key="on" onClose={close} />],
  ['Turn off', <TurnOffDialog key="off" onClose={close} />],
  ['Create new codes', <RenewDialog key="renew" onClose={close} />],
])('a form in a dialog ends with its primary button: %s', async (name, dialog) => {
  open(dialog)
  await expect.element(buttons().last()).toHaveAccessibleName(name)
  await expect.element(buttons().nth(-2)).toHaveAccessibleName('Cancel')
})

it('a form in the dialog that asks for access ends with its primary button', async () => {
  open(<AskForAccess permission="project:view" />)
  await page.getByRole('button', { name: 'Ask for access' }).click()
  await expect.element(buttons().last()).toHaveAccessibleName('Ask')
  await expect.element(buttons().nth(-2)).toHaveAccessibleName('Cancel')
})
