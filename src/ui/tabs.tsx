import { Tabs as Ark } from '@ark-ui/react/tabs'
import { createStyleContext } from 'styled-system/jsx'
import { tabs } from 'styled-system/recipes'

const { withProvider, withContext } = createStyleContext(tabs)

/** Tabs within a page. For tabs with their own URLs, use `tab-links`. */
export const Root = withProvider(Ark.Root, 'root', { defaultProps: { lazyMount: true, unmountOnExit: true } })
export const List = withContext(Ark.List, 'list')
export const Trigger = withContext(Ark.Trigger, 'trigger')
export const Content = withContext(Ark.Content, 'content')
