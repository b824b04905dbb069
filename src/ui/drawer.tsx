import { Dialog as Ark } from '@ark-ui/react/dialog'
import { Portal } from '@ark-ui/react/portal'
import type { ReactNode } from 'react'
import { createStyleContext } from 'styled-system/jsx'
import { drawer } from 'styled-system/recipes'
import { IconButton } from './icon-button'

const { withRootProvider, withContext } = createStyleContext(drawer)

export const Root = withRootProvider(Ark.Root, { defaultProps: { lazyMount: true, unmountOnExit: true } })
export const Trigger = withContext(Ark.Trigger, 'trigger')
const Title = withContext(Ark.Title, 'title')
const CloseTrigger = withContext(Ark.CloseTrigger, 'closeTrigger')
const Backdrop = withContext(Ark.Backdrop, 'backdrop')
const Positioner = withContext(Ark.Positioner, 'positioner')
const Content = withContext(Ark.Content, 'content')
const Head = withContext('div', 'head')
const Body = withContext('div', 'body')
const Footer = withContext('footer', 'footer')

type PanelProps = {
  title: ReactNode
  side?: 'start' | 'end'
  /** Without a scrim, next to the list; set `modal={false}` on the Root as well. */
  beside?: boolean
  actions?: ReactNode
  footer?: ReactNode
  children: ReactNode
}

export const Panel = ({ title, side = 'end', beside, actions, footer, children }: PanelProps) => (
  <Portal>
    {!beside && <Backdrop />}
    <Positioner data-side={side} data-beside={beside || undefined}>
      <Content>
        <Head data-actions={actions !== undefined || undefined}>
          <Title>{title}</Title>
          {actions}
          <CloseTrigger asChild>
            <IconButton icon="x" label="Close" variant="ghost" hint={false} />
          </CloseTrigger>
        </Head>
        <Body>{children}</Body>
        {footer !== undefined && <Footer>{footer}</Footer>}
      </Content>
    </Positioner>
  </Portal>
)
