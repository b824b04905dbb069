import { Menu as Ark } from '@ark-ui/react/menu'
import { Portal } from '@ark-ui/react/portal'
import type { ComponentProps } from 'react'
import { createStyleContext } from 'styled-system/jsx'
import { menu } from 'styled-system/recipes'

const { withRootProvider, withContext } = createStyleContext(menu)

export const Root = withRootProvider(Ark.Root, { defaultProps: { lazyMount: true, unmountOnExit: true } })
export const Trigger = withContext(Ark.Trigger, 'trigger')
export const Item = withContext(Ark.Item, 'item')
export const ItemGroup = withContext(Ark.ItemGroup, 'itemGroup')
export const ItemGroupLabel = withContext(Ark.ItemGroupLabel, 'itemGroupLabel')
export const RadioItemGroup = withContext(Ark.RadioItemGroup, 'itemGroup')
export const RadioItem = withContext(Ark.RadioItem, 'item')
export const ItemIndicator = withContext(Ark.ItemIndicator, 'indicator')
export const Separator = withContext(Ark.Separator, 'separator')

const Positioner = withContext(Ark.Positioner, 'positioner')
const Box = withContext(Ark.Content, 'content')

/** The floating list. Destructive items are last, after a separator, with `data-danger`. */
export const Content = (props: ComponentProps<typeof Box>) => (
  <Portal>
    <Positioner>
      <Box {...props} />
    </Positioner>
  </Portal>
)
