import type { ReactNode } from 'react'
import * as Menu from '../../../ui/menu'

type MenuAction = 'halt' | 'rollBack' | 'cancel'
type Props = {
  items: readonly { value: MenuAction; label: string }[]
  onChoose: (action: MenuAction) => void
  children: ReactNode
}

/** Loaded when its button is first pressed, and then opened at once. */
export const RolloutMenu = ({ items, onChoose, children }: Props) => (
  <Menu.Root
    defaultOpen
    onSelect={({ value }) => {
      const chosen = items.find((item) => item.value === value)
      if (chosen) onChoose(chosen.value)
    }}
    positioning={{ placement: 'bottom-end' }}
  >
    <Menu.Trigger asChild>{children}</Menu.Trigger>
    <Menu.Content>
      {items.map(({ value, label }) => (
        <Menu.Item key={value} value={value} data-danger>
          {label}
        </Menu.Item>
      ))}
    </Menu.Content>
  </Menu.Root>
)
