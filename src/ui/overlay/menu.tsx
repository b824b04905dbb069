import { Menu as Ark } from '@ark-ui/react/menu'
import { Portal } from '@ark-ui/react/portal'
import type { ComponentProps, FocusEvent } from 'react'
import { menu } from 'styled-system/recipes'
import { slotsOf } from '../slots'

const slot = slotsOf(menu)

export const Root = (props: ComponentProps<typeof Ark.Root>) => <Ark.Root lazyMount unmountOnExit {...props} />
export const Trigger = slot(Ark.Trigger, 'trigger')
export const Item = slot(Ark.Item, 'item')
export const ItemGroup = slot(Ark.ItemGroup, 'itemGroup')
export const ItemGroupLabel = slot(Ark.ItemGroupLabel, 'itemGroupLabel')
export const RadioItemGroup = slot(Ark.RadioItemGroup, 'itemGroup')
export const RadioItem = slot(Ark.RadioItem, 'item')
export const ItemIndicator = slot(Ark.ItemIndicator, 'indicator')
export const Separator = slot(Ark.Separator, 'separator')

const Positioner = slot(Ark.Positioner, 'positioner')
const Box = slot(Ark.Content, 'content')

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
