import { Dialog as Ark } from '@ark-ui/react/dialog'
import { Portal } from '@ark-ui/react/portal'
import { type ComponentProps, type ChangeEvent, createContext, type ReactNode, useContext, useState } from 'react'
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

/** Notes in which text fields of a window something was typed. */
const TypedContext = createContext<((event: ChangeEvent<HTMLInputElement>) => void) | undefined>(undefined)
const textFields = 'textarea, input:not([type=checkbox], [type=radio])'

type RootProps = Omit<ComponentProps<typeof Ark.Root>, 'onOpenChange'> & {
  /** `typed`: closing it would lose text. */
  onOpenChange?: (change: { open: boolean; typed: boolean }) => void
}

/** The control that opened a window: of a menu its button, since the entry is gone when the window closes. */
const openerOf = (element: Element | null): HTMLElement | undefined => {
  const menu = element?.closest('[role=menu]')
  if (menu) return openerOf(document.getElementById(menu.getAttribute('aria-labelledby') ?? ''))
  return element instanceof HTMLElement && element !== document.body ? element : undefined
}

export const Root = ({ onOpenChange, ...props }: RootProps) => {
  const [fields] = useState(() => new Set<HTMLInputElement>())
  // Before the window is rendered: a field in it may take the focus by itself, and Ark would give it back to that field.
  const [opener] = useState(() => openerOf(document.activeElement))
  const finalFocusEl = () => (opener?.isConnected ? opener : null)
  return (
    <TypedContext value={({ target }) => target.matches(textFields) && fields.add(target)}>
      <Ark.Root
        {...defaultProps}
        finalFocusEl={finalFocusEl}
        onOpenChange={({ open }) => onOpenChange?.({ open, typed: [...fields].some((it) => it.isConnected && it.value) })}
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
      <Content data-wide={wide || undefined} onChange={useContext(TypedContext)}>
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
