import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { createActor, SimulatedClock } from 'xstate'
import { authMachine } from '../../../machines/auth/auth.machine'
import { bridge } from '../../../src/app/bridge'
import type { ConsoleRouter } from '../../../src/app/router'
import { confirm } from '../../../src/system/modals/confirm'
import { createModals } from '../../../src/system/modals/modals'
import { useModal } from '../../../src/system/modals/use-modal'
import { createQuestionnaire } from '../../../src/system/questionnaire/questionnaire'
import { startSystem } from '../../../src/system/system'
import { Button } from '../../../src/ui/button'
import * as Dialog from '../../../src/ui/overlay/dialog'
import * as Menu from '../../../src/ui/overlay/menu'
import { makeSystem, mount } from './system'

type ModalProps = { name: string; onClosed: () => void; children?: ReactNode }

const Modal = ({ name, onClosed, children }: ModalProps) => {
  const { close, root } = useModal(name, onClosed)
  return (
    <Dialog.Root {...root}>
      <Dialog.Window title={name} footer={<Button onClick={close}>Close {name}</Button>}>
        {children}
      </Dialog.Window>
    </Dialog.Root>
  )
}

/** A field that takes the focus as soon as it is rendered. */
const Asking = () => {
  const [open, setOpen] = useState(false)
  return (
    <>
      <button onClick={() => setOpen(true)}>Open question</button>
      {open && (
        <Modal name="question" onClosed={() => setOpen(false)}>
          <input aria-label="Answer" autoFocus />
        </Modal>
      )}
    </>
  )
}

/** A window whose button is busy until the event `work-done` of its page. */
const Working = ({ onClosed }: { onClosed: () => void }) => {
  const { cancel, root } = useModal('work', onClosed)
  const [busy, setBusy] = useState(true)
  useEffect(() => {
    const finish = () => setBusy(false)
    addEventListener('work-done', finish)
    return () => removeEventListener('work-done', finish)
  }, [])
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        title="work"
        footer={
          <>
            <Button onClick={cancel}>Cancel</Button>
            <Button busy={busy} busyLabel="Working...">
              Work
            </Button>
          </>
        }
      />
    </Dialog.Root>
  )
}
const Worker = () => {
  const [open, setOpen] = useState(false)
  return (
    <>
      <button onClick={() => setOpen(true)}>Open work</button>
      {open && <Working onClosed={() => setOpen(false)} />}
    </>
  )
}

const FromMenu = () => {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Menu.Root>
        <Menu.Trigger>More</Menu.Trigger>
        <Menu.Content>
          <Menu.Item value="disable" onSelect={() => setOpen(true)}>
            Disable…
          </Menu.Item>
        </Menu.Content>
      </Menu.Root>
      {open && <Modal name="disable" onClosed={() => setOpen(false)} />}
    </>
  )
}

const Page = ({ onClosed }: { onClosed?: (name: string) => void }) => {
  const [lower, setLower] = useState(false)
  const [upper, setUpper] = useState(false)
  const closed = (name: string, forget: (open: boolean) => void) => () => {
    onClosed?.(name)
    forget(false)
  }
  return (
    <>
      <button onClick={() => setLower(true)}>Open lower</button>
      {lower && (
        <Modal name="lower" onClosed={closed('lower', setLower)}>
          <button onClick={() => setUpper(true)}>Open upper</button>
        </Modal>
      )}
      {upper && <Modal name="upper" onClosed={closed('upper', setUpper)} />}
    </>
  )
}

/** The stack on a clock that the test moves. */
const onClock = () => {
  const system = makeSystem()
  const clock = new SimulatedClock()
  const actor = createModals({ clock })
  system.modals.actor = actor
  onTestFinished(() => actor.stop())
  /** The owner of a dialog hears of its end in a microtask. */
  const wait = async (ms: number) => {
    clock.increment(ms)
    await Promise.resolve()
  }
  return { system, clock, wait, stack: () => actor.getSnapshot().context.stack.map(({ id }) => id.replace(/\..*/, '')) }
}

const press = (name: string) => page.getByRole('button', { name, exact: true })
const dialog = (name: string) => page.getByRole('dialog', { name, exact: true })
const openBoth = async () => {
  await press('Open lower').click()
  await press('Open upper').click()
  await expect.element(dialog('upper')).toBeVisible()
}

describe('the stack of modals', () => {
  it('returns the focus also from a field that took it by itself', async () => {
    const { system } = onClock()
    mount(system, <Asking />)
    await press('Open question').click()
    await expect.element(page.getByRole('textbox', { name: 'Answer' })).toHaveFocus()
    await userEvent.keyboard('{Escape}')
    await expect.element(press('Open question')).toHaveFocus()
  })

  it('opens a dialog again that is asked for right after its exit animation has ended', async () => {
    const { system, wait, stack } = onClock()
    mount(system, <Asking />)
    await press('Open question').click()
    await expect.element(dialog('question')).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await expect.poll(stack).toEqual([])
    await wait(200)
    // A press that waits comes before the task in which React renders.
    const button = press('Open question').element()
    if (button instanceof HTMLElement) button.click()
    await expect.element(dialog('question')).toBeVisible()
    expect(stack()).toEqual(['question'])
  })

  it('gives the focus back to the button of the menu that opened it, also when it is closed at once', async () => {
    const { system, stack } = onClock()
    mount(system, <FromMenu />)
    await expect.element(press('More')).toBeVisible()
    for (const closing of [
      () => Promise.resolve(),
      () => expect.poll(() => document.activeElement?.closest('[role=dialog]')).toBeTruthy(),
    ]) {
      press('More').element().focus()
      await userEvent.keyboard('{Enter}')
      await expect.poll(() => document.querySelector('[role=menuitem][data-highlighted]')?.textContent).toContain('Disable')
      await userEvent.keyboard('{Enter}')
      await expect.poll(stack).toEqual(['disable'])
      await closing()
      await userEvent.keyboard('{Escape}')
      await expect.poll(stack).toEqual([])
      await expect.element(press('More')).toHaveFocus()
    }
  })

  it('asks on Escape and on a press outside before text that was typed in it is lost', async () => {
    const { system, stack, clock } = onClock()
    mount(system, <Asking />)
    await press('Open question').click()
    const answer = page.getByRole('textbox', { name: 'Answer' })
    const asked = page.getByRole('alertdialog', { name: 'Close without saving?' })
    await answer.fill('Half a sentence')
    const ways = [
      () => userEvent.keyboard('{Escape}'),
      () => userEvent.click(document.body, { position: { x: 2, y: 2 }, force: true }),
    ]
    for (const way of ways) {
      await way()
      await expect.element(asked).toBeVisible()
      await press('Stay').click()
      clock.increment(200)
      await expect.element(asked).not.toBeInTheDocument()
      await expect.element(answer).toHaveValue('Half a sentence')
      expect(stack()).toEqual(['question'])
    }
    // Nothing is lost once the text is gone again.
    await answer.fill('')
    await userEvent.keyboard('{Escape}')
    await expect.poll(stack).toEqual([])
    clock.increment(200)

    await press('Open question').click()
    await answer.fill('Another')
    await userEvent.keyboard('{Escape}')
    await press('Close').click()
    await expect.poll(stack).toEqual([])
    clock.increment(200)
    await expect.element(press('Open question')).toHaveFocus()
  })

  it('asks on Cancel and on Escape while its button is busy, and stays when the work ended behind the question', async () => {
    const { system, stack, clock } = onClock()
    mount(system, <Worker />)
    const asked = page.getByRole('alertdialog', { name: 'Close while this is being done?' })
    await press('Open work').click()
    await press('Cancel').click()
    await expect.element(asked).toBeVisible()
    await press('Close').click()
    await expect.poll(stack).toEqual([])
    clock.increment(200)

    await press('Open work').click()
    await expect.element(press('Working...')).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await expect.element(asked).toBeVisible()
    dispatchEvent(new Event('work-done'))
    await press('Close').click()
    clock.increment(200)
    await expect.element(asked).not.toBeInTheDocument()
    expect(stack()).toEqual(['work'])
    await press('Cancel').click()
    await expect.poll(stack).toEqual([])
  })

  it('closes only the upper one on Escape, and returns the focus', async () => {
    const { system, stack } = onClock()
    mount(system, <Page />)
    await openBoth()
    expect(stack()).toEqual(['lower', 'upper'])
    await expect.element(press('Close upper')).toHaveFocus()
    await userEvent.keyboard('{Escape}')
    await expect.element(press('Open upper')).toHaveFocus()
    expect(stack()).toEqual(['lower'])
    await userEvent.keyboard('{Escape}')
    await expect.element(press('Open lower')).toHaveFocus()
    expect(stack()).toEqual([])
  })

  it('keeps the slot of a closing modal for 200 ms (§9)', async () => {
    const { system, wait } = onClock()
    const closed = vi.fn<(name: string) => void>()
    mount(system, <Page onClosed={closed} />)
    await openBoth()
    expect(getComputedStyle(dialog('upper').element()).animationDuration).toBe('0.2s')
    await press('Close upper').click()
    await press('Close lower').click()
    // The dialog below began to close later: its delay restarts for both.
    expect(closed.mock.calls).toEqual([['upper']])
    await wait(199)
    expect(closed).toHaveBeenCalledTimes(1)
    await wait(1)
    expect(closed.mock.calls).toEqual([['upper'], ['lower']])
    await expect.element(dialog('lower')).not.toBeInTheDocument()
  })

  it('keeps the slot of the upper one while the lower one stays', async () => {
    const { system, wait, stack } = onClock()
    const closed = vi.fn<(name: string) => void>()
    mount(system, <Page onClosed={closed} />)
    await openBoth()
    await press('Close upper').click()
    await wait(199)
    expect(closed).not.toHaveBeenCalled()
    await wait(1)
    expect(closed.mock.calls).toEqual([['upper']])
    expect(stack()).toEqual(['lower'])
  })

  it('closes with the page, and stays when only the query changes', async () => {
    const { system, clock, stack } = onClock()
    const top = createRootRoute({ component: () => <Page /> })
    const paths = ['/', '/other'].map((path) => createRoute({ getParentRoute: () => top, path }))
    // Two routes replace those of the console, whose types list all of them.
    const small: unknown = createRouter({ routeTree: top.addChildren(paths), history: createMemoryHistory() })
    const router = small as ConsoleRouter
    bridge(system, router)
    mount(system, <RouterProvider router={router} />)
    await openBoth()
    router.history.push('/?sort=name')
    await expect.poll(() => router.state.resolvedLocation?.searchStr).toBe('?sort=name')
    expect(stack()).toEqual(['lower', 'upper'])
    router.history.push('/other')
    await expect.poll(stack).toEqual([])
    clock.increment(200)
    await expect.element(dialog('upper')).not.toBeInTheDocument()
    await expect.element(dialog('lower')).not.toBeInTheDocument()
  })

  it('closes with the session', async () => {
    const { system, stack } = onClock()
    const context = { sessionTag: 'aaaaaa', automatic: false, reason: null }
    const auth = createActor(authMachine, { snapshot: authMachine.resolveState({ value: { holding: 'signedIn' }, context }) })
    mount(system, <Page />)
    startSystem({ ...system, auth })
    await openBoth()
    auth.send({ type: 'token.removedElsewhere' })
    expect(stack()).toEqual([])
  })
})

describe('a confirm', () => {
  const question = { title: 'Leave?', text: 'It is lost.', accept: 'Go', decline: 'Stay' }
  const asked = page.getByRole('alertdialog', { name: 'Leave?' })

  it.each([
    ['confirm', () => press('Go').click(), true],
    ['cancel', () => press('Stay').click(), false],
    ['Escape, which is cancel,', () => userEvent.keyboard('{Escape}'), false],
  ])('closes on %s by default', async (_, act, answer) => {
    const { system, clock, stack } = onClock()
    const answered = confirm(system.modals, question)
    await expect.element(asked).toBeVisible()
    expect(stack()).toEqual(['confirm'])
    await act()
    expect(await answered).toBe(answer)
    expect(stack()).toEqual([])
    clock.increment(200)
    await expect.element(asked).not.toBeInTheDocument()
  })

  it('is declined when all modals are closed', async () => {
    const { system, clock } = onClock()
    const answered = confirm(system.modals, question)
    await expect.element(asked).toBeVisible()
    system.modals.actor?.send({ type: 'modals.closed' })
    expect(await answered).toBe(false)
    clock.increment(200)
  })
})

it('tells the questionnaire whether a modal is open, from its start', async () => {
  const { system, clock } = onClock()
  mount(system, <Page />)
  await press('Open lower').click()
  await expect.element(dialog('lower')).toBeVisible()
  const { actor } = createQuestionnaire(system)
  const free = () => actor.getSnapshot().context.free
  expect(free()).toBe(false)
  await press('Close lower').click()
  expect(free()).toBe(true)
  clock.increment(200)
  await expect.element(dialog('lower')).not.toBeInTheDocument()
  await press('Open lower').click()
  await expect.poll(free).toBe(false)
})
