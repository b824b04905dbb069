import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { expect, it, onTestFinished, vi } from 'vitest'
import { page } from 'vitest/browser'
import { ApiError } from '../../../src/api/failure'
import { AskDialog } from '../../../src/system/ask-dialog'
import { createModals } from '../../../src/system/modals/modals'
import { useModal } from '../../../src/system/modals/use-modal'
import { makeSystem, mount } from './system'

const failed = (status: number, code: string, message: string) =>
  new ApiError({
    status,
    code,
    message,
    details: [],
    requestId: 'request-1',
    requiredPermission: undefined,
    requiredPlan: undefined,
    retryAfterS: undefined,
    about: undefined,
  })

const open = (props: { error?: Error; typedName?: string; busy?: boolean }) => {
  const onConfirm = vi.fn<() => void>()
  const onClosed = vi.fn<() => void>()
  const Question = () => (
    <AskDialog
      modal={useModal('question', onClosed)}
      title="Remove the oak?"
      text="It is gone then."
      verb="Remove oak"
      busyVerb="Removing..."
      busy={false}
      error={null}
      onConfirm={onConfirm}
      {...props}
    />
  )
  const router = createRouter({
    routeTree: createRootRoute({ component: Question }),
    history: createMemoryHistory({ initialEntries: ['/'] }),
  })
  const modals = createModals()
  const system = makeSystem()
  system.modals.actor = modals
  onTestFinished(() => modals.stop())
  // It has other routes than the router of the console.
  mount(system, <RouterProvider router={router as never} />)
  return { onConfirm, onClosed, dialog: page.getByRole('alertdialog', { name: 'Remove the oak?' }) }
}

it('a question whose answer was lost says that it is not known whether it was done', async () => {
  const { dialog } = open({ error: failed(0, 'network', '') })
  await expect.element(dialog.getByRole('alert')).toHaveTextContent('It is not known whether this was done.')
})

it.each([
  [409, 'The oak is gone already.'],
  [412, 'This was changed in the meantime.'],
])('a question that is answered %i says what is so now, without the title of a fault', async (status, message) => {
  const { dialog } = open({ error: failed(status, 'conflict', message) })
  await expect.element(dialog.getByRole('alert')).toHaveTextContent(`Nothing was changed${message}`)
})

it('a question waits for the name to be typed, whatever spaces are around it', async () => {
  const { dialog, onConfirm } = open({ typedName: 'oak' })
  const button = dialog.getByRole('button', { name: 'Remove oak' })
  await expect.element(button).toBeDisabled()
  await dialog.getByRole('textbox', { name: 'Type oak to confirm' }).fill(' oak ')
  await button.click()
  expect(onConfirm).toHaveBeenCalledOnce()
})
