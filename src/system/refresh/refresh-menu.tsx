import type { ReactNode } from 'react'
import { Icon } from '../../ui/icon/icon'
import * as Menu from '../../ui/overlay/menu'
import { chooseRefresh, isRefresh, type Refresh } from './refresh-choice'
import { refreshIntervals } from './refresh-intervals'

/** How often the console refreshes what it shows, on every page. Loaded when the age of a list is first pressed, and then open. */
export const RefreshMenu = ({ choice, children }: { choice: Refresh; children: ReactNode }) => (
  <Menu.Root defaultOpen positioning={{ placement: 'bottom-end' }}>
    <Menu.Trigger asChild>{children}</Menu.Trigger>
    <Menu.Content>
      <Menu.RadioItemGroup value={choice} onValueChange={({ value }) => isRefresh(value) && chooseRefresh(value)}>
        <Menu.ItemGroupLabel>
          <small>Refresh interval</small>
        </Menu.ItemGroupLabel>
        {refreshIntervals.map(({ value, label }) => (
          <Menu.RadioItem key={value} value={value}>
            {label}
            <Menu.ItemIndicator>
              <Icon name="check" />
            </Menu.ItemIndicator>
          </Menu.RadioItem>
        ))}
      </Menu.RadioItemGroup>
    </Menu.Content>
  </Menu.Root>
)
