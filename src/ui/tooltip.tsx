import { Portal } from '@ark-ui/react/portal'
import { Tooltip as Ark } from '@ark-ui/react/tooltip'
import type { ReactNode } from 'react'
import { createStyleContext } from 'styled-system/jsx'
import { tooltip } from 'styled-system/recipes'

const { withRootProvider, withContext } = createStyleContext(tooltip)

const Root = withRootProvider(Ark.Root, {
  defaultProps: { openDelay: 400, closeDelay: 80, lazyMount: true, unmountOnExit: true },
})
const Trigger = withContext(Ark.Trigger, 'trigger')
const Positioner = withContext(Ark.Positioner, 'positioner')
const Content = withContext(Ark.Content, 'content')

/** A tooltip that avoids the edges of the screen; `Hint` is the lighter one for elsewhere. */
export const Tooltip = ({ text, children }: { text: ReactNode; children: ReactNode }) => (
  <Root>
    <Trigger asChild>{children}</Trigger>
    <Portal>
      <Positioner>
        <Content>{text}</Content>
      </Positioner>
    </Portal>
  </Root>
)
