import { Suspense, useState } from 'react'
import { IconButton } from '../../ui/icon/icon-button'
import { lazyPart } from './lazy'
import type { MenuEntry } from './more-menu-list'

const MoreMenuList = lazyPart(() => import('./more-menu-list').then((part) => part.MoreMenuList<string>))

type Props<V extends string> = {
  label: string
  entries: readonly MenuEntry<V>[]
  onChoose: (value: V) => void
  refused?: string | undefined
  disabled?: boolean
  /** In a row of a table; `tool` in a row of tools. */
  small?: boolean | 'tool'
}

/** In a bar that does not scroll with the page, as those of a phone. */
const isFixed = (element: Element | null): boolean =>
  element !== null && (getComputedStyle(element).position === 'fixed' || isFixed(element.parentElement))

/** The rarer actions of an object, behind one button; those that stop or end something last. */
export const MoreMenu = <V extends string>({ label, entries, onChoose, refused, disabled, small }: Props<V>) => {
  const [strategy, setStrategy] = useState<'absolute' | 'fixed' | null>(null)
  const trigger = (
    <IconButton
      icon="more"
      label={label}
      hint={false}
      refused={refused}
      disabled={disabled}
      aria-haspopup="menu"
      onClick={({ currentTarget }) => setStrategy(isFixed(currentTarget) ? 'fixed' : 'absolute')}
      {...(small && { size: 'small' as const })}
      {...(small === true && { variant: 'ghost' as const })}
    />
  )
  if (strategy === null || refused !== undefined) return trigger
  return (
    <Suspense fallback={trigger}>
      <MoreMenuList
        entries={entries}
        strategy={strategy}
        onChoose={(value) => onChoose(value as V)} // the value of one of the entries
      >
        {trigger}
      </MoreMenuList>
    </Suspense>
  )
}
