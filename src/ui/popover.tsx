import { Popover as Ark } from '@ark-ui/react/popover'
import { Portal } from '@ark-ui/react/portal'
import type { ComponentProps } from 'react'
import { createStyleContext } from 'styled-system/jsx'
import { popover } from 'styled-system/recipes'

const { withRootProvider, withContext } = createStyleContext(popover)

export const Root = withRootProvider(Ark.Root, { defaultProps: { lazyMount: true, unmountOnExit: true } })
export const Trigger = withContext(Ark.Trigger, 'trigger')
const Positioner = withContext(Ark.Positioner, 'positioner')
const Box = withContext(Ark.Content, 'content')

export const Content = (props: ComponentProps<typeof Box>) => (
  <Portal>
    <Positioner>
      <Box {...props} />
    </Positioner>
  </Portal>
)
