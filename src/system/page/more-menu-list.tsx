import { Fragment, type ReactNode } from 'react'
import * as Menu from '../../ui/overlay/menu'

export type MenuEntry<V extends string> = {
  value: V
  label: string
  /** It stops or ends something: after a separator. */
  danger?: boolean
}

type Props<V extends string> = {
  entries: readonly MenuEntry<V>[]
  onChoose: (value: V) => void
  /** `fixed` if its button stays where it is when the page scrolls: a scroll would move the list from under the pointer. */
  strategy: 'absolute' | 'fixed'
  children: ReactNode
}

/** Loaded when the button is first pressed, and then opened at once. */
export const MoreMenuList = <V extends string>({ entries, onChoose, strategy, children }: Props<V>) => (
  <Menu.Root
    defaultOpen
    onSelect={({ value }) => onChoose(value as V)} // the value of one of the entries
    positioning={{ placement: 'bottom-end', strategy }}
  >
    <Menu.Trigger asChild>{children}</Menu.Trigger>
    <Menu.Content>
      {entries.map(({ value, label, danger }, index) => (
        <Fragment key={value}>
          {danger && index > 0 && !entries[index - 1]?.danger && <Menu.Separator />}
          <Menu.Item value={value} data-danger={danger || undefined}>
            {label}
          </Menu.Item>
        </Fragment>
      ))}
    </Menu.Content>
  </Menu.Root>
)
