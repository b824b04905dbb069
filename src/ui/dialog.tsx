import { Dialog as Ark } from '@ark-ui/react/dialog'
import { Portal } from '@ark-ui/react/portal'
import { type ComponentProps, createContext, type FocusEvent, type ReactNode, useContext, useState } from 'react'
import { dialog } from 'styled-system/recipes'
import { slotsOf } from './slots'

const slot = slotsOf(dialog)

const inspector = () => document.querySelector<HTMLElement>('#inspector')
/**
 * In development a click into the inspector is not outside, so it does not close a dialog. Not used without the inspector,
 * since Ark would wait for the element.
 */
const defaultProps = {
  lazyMount: true,
  unmountOnExit: true,
  get persistentElements() {
    return import.meta.env.DEV && inspector() ? [inspector] : []
  },
}

/** For `Root` while the window shows what is never shown again: only its own button closes it. */
export const shownOnce = { closeOnEscape: false, closeOnInteractOutside: false }

/** The fields of a window that had the focus, each with its first text. */
const createTyped = () => {
  const first = new Map<HTMLInputElement | HTMLTextAreaElement, string>()
  return {
    note: ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) return
      if (!first.has(target)) first.set(target, target.value)
    },
    /** Whether a field that is still shown has another text now. */
    any: () => [...first].some(([field, text]) => field.isConnected && field.value !== text),
  }
}
const TypedContext = createContext<ReturnType<typeof createTyped> | undefined>(undefined)

type RootProps = Omit<ComponentProps<typeof Ark.Root>, 'onOpenChange'> & {
  /** `typed`: closing it would lose text. */
  onOpenChange?: (change: { open: boolean; typed: boolean }) => void
}

export const Root = ({ onOpenChange, ...props }: RootProps) => {
  const [typed] = useState(createTyped)
  // Before the window is rendered: a field in it may take the focus by itself, and Ark would give it back to that field.
  const [opener] = useState(() => document.activeElement)
  // A menu has closed since, and gave the focus back to its button.
  const canReturn = opener instanceof HTMLElement && opener !== document.body && !opener.closest('[role=menu]')
  const finalFocusEl = () => (canReturn && opener.isConnected ? opener : null)
  return (
    <TypedContext value={typed}>
      <Ark.Root
        {...defaultProps}
        finalFocusEl={finalFocusEl}
        onOpenChange={({ open }) => onOpenChange?.({ open, typed: typed.any() })}
        {...props}
      />
    </TypedContext>
  )
}
export const Trigger = slot(Ark.Trigger, 'trigger')
const Title = slot(Ark.Title, 'title')
const Description = slot(Ark.Description, 'description')
export const CloseTrigger = slot(Ark.CloseTrigger, 'closeTrigger')
const Backdrop = slot(Ark.Backdrop, 'backdrop')
const Positioner = slot(Ark.Positioner, 'positioner')
const Content = slot(Ark.Content, 'content')
const Head = slot('div', 'head')
const Body = slot('div', 'body')
const Footer = slot('footer', 'footer')

type WindowProps = { title: ReactNode; description?: ReactNode; wide?: boolean; footer?: ReactNode; children?: ReactNode }

/** The whole window: title, description, fields, and a footer whose last button is the primary one. */
export const Window = ({ title, description, wide, footer, children }: WindowProps) => (
  <Portal>
    <Backdrop />
    <Positioner>
      <Content data-wide={wide || undefined} onFocus={useContext(TypedContext)?.note}>
        <Head>
          <Title>{title}</Title>
          {description !== undefined && <Description>{description}</Description>}
        </Head>
        <Body>{children}</Body>
        {footer !== undefined && <Footer>{footer}</Footer>}
      </Content>
    </Positioner>
  </Portal>
)
