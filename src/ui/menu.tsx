import { Menu as Ark } from '@ark-ui/react/menu'
import { Portal } from '@ark-ui/react/portal'
import type { ComponentProps, FocusEvent } from 'react'
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

/**
 * Zag moves the focus into the menu in the frame after a move of the pointer or a key, even if a press has closed the menu since. The
 * focus would be lost with the menu, and a dialog that the press opened would have nothing to give it back to.
 */
const refuseFocusIfClosed = ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) => {
  if (currentTarget.dataset['state'] === 'closed' && relatedTarget instanceof HTMLElement)
    relatedTarget.focus({ preventScroll: true })
}

/** The floating list. Destructive items are last, after a separator, with `data-danger`. */
export const Content = (props: ComponentProps<typeof Box>) => (
  <Portal>
    <Positioner>
      <Box onFocus={refuseFocusIfClosed} {...props} />
    </Positioner>
  </Portal>
)
