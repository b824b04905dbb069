import { Dialog as Ark } from '@ark-ui/react/dialog'
import { Portal } from '@ark-ui/react/portal'
import type { ReactNode } from 'react'
import { createStyleContext } from 'styled-system/jsx'
import { dialog } from 'styled-system/recipes'

const { withRootProvider, withContext } = createStyleContext(dialog)

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

export const Root = withRootProvider(Ark.Root, { defaultProps })
export const Trigger = withContext(Ark.Trigger, 'trigger')
const Title = withContext(Ark.Title, 'title')
const Description = withContext(Ark.Description, 'description')
export const CloseTrigger = withContext(Ark.CloseTrigger, 'closeTrigger')
const Backdrop = withContext(Ark.Backdrop, 'backdrop')
const Positioner = withContext(Ark.Positioner, 'positioner')
const Content = withContext(Ark.Content, 'content')
const Head = withContext('div', 'head')
const Body = withContext('div', 'body')
const Footer = withContext('footer', 'footer')

type WindowProps = { title: ReactNode; description?: ReactNode; wide?: boolean; footer?: ReactNode; children?: ReactNode }

/** The whole window: title, description, fields, and a footer whose last button is the primary one. */
export const Window = ({ title, description, wide, footer, children }: WindowProps) => (
  <Portal>
    <Backdrop />
    <Positioner>
      <Content data-wide={wide || undefined}>
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
