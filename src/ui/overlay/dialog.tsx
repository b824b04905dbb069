import { Dialog as Ark } from '@ark-ui/react/dialog'
import { Portal } from '@ark-ui/react/portal'
import { type ComponentProps, type ReactNode, useContext, useState } from 'react'
import { dialog } from 'styled-system/recipes'
import { slotsOf } from '../slots'
import { type Contents, WindowContents } from './window-contents'

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

/** `contents`: what the window will hold, for whoever decides whether it closes. */
type RootProps = ComponentProps<typeof Ark.Root> & { contents?: Contents }

/** The control that opened a window: of a menu its button, since the entry is gone when the window closes. */
const openerOf = (element: Element | null): HTMLElement | undefined => {
  const menu = element?.closest('[role=menu]')
  if (menu) return openerOf(document.getElementById(menu.getAttribute('aria-labelledby') ?? ''))
  return element instanceof HTMLElement && element !== document.body ? element : undefined
}

export const Root = ({ contents, ...props }: RootProps) => {
  // Before the window is rendered: a field in it may take the focus by itself, and Ark would give it back to that field.
  const [opener] = useState(() => openerOf(document.activeElement))
  const finalFocusEl = () => (opener?.isConnected ? opener : null)
  return (
    <WindowContents value={contents}>
      <Ark.Root {...defaultProps} finalFocusEl={finalFocusEl} {...props} />
    </WindowContents>
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
export const Window = ({ title, description, wide, footer, children }: WindowProps) => {
  const contents = useContext(WindowContents)
  return (
    <Portal>
      <Backdrop />
      <Positioner>
        <Content ref={contents?.element} data-wide={wide || undefined} onChange={contents?.noteTyping}>
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
}
