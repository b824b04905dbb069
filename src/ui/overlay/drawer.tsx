import { Dialog as Ark } from '@ark-ui/react/dialog'
import { Portal } from '@ark-ui/react/portal'
import type { ComponentProps, ReactNode } from 'react'
import { drawer } from 'styled-system/recipes'
import { IconButton } from '../icon/icon-button'
import { slotsOf } from '../slots'

const slot = slotsOf(drawer)

export const Root = (props: ComponentProps<typeof Ark.Root>) => <Ark.Root lazyMount unmountOnExit {...props} />
export const Trigger = slot(Ark.Trigger, 'trigger')
const Title = slot(Ark.Title, 'title')
const CloseTrigger = slot(Ark.CloseTrigger, 'closeTrigger')
const Backdrop = slot(Ark.Backdrop, 'backdrop')
const Positioner = slot(Ark.Positioner, 'positioner')
const Content = slot(Ark.Content, 'content')
const Head = slot('div', 'head')
const Body = slot('div', 'body')
const Footer = slot('footer', 'footer')

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
