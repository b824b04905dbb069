import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { css } from 'styled-system/css'
import { menu } from 'styled-system/recipes'
import type { OrganizationSummary } from '../../../contract/accounts/organizations'
import { type Scope, scopeFromPath, scopeToPath } from '../../system/scope/scope'
import { useSystem } from '../../system/system'
import { Icon } from '../../ui/icon/icon'
import { SearchInput } from '../../ui/form/input'
import { matching } from '../../ui/form/matching'
import { NoOptions } from '../../ui/form/no-options'
import * as Popover from '../../ui/overlay/popover'

const box = css({ p: '8', w: 'menuMax' })
const list = css({ mt: '8', maxH: 'menuHeight', overflowY: 'auto' })
const name = css({ flex: '1', minW: '0', overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' })
const none = css({ px: '8', py: '6', color: 'muted' })

const clamped = (index: number, count: number) => Math.min(Math.max(index, 0), count - 1)

type Props = { organizations: readonly OrganizationSummary[]; scope: Scope; children: ReactNode }

/** §2: a searchable select; 'No Organization' first. A choice is sent to the chart; the bridge navigates. */
export const OrganizationList = ({ organizations, scope, children }: Props) => {
  const { organization } = useSystem()
  const [open, setOpen] = useState(true)
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const id = useId()
  const options = matching(
    [
      { value: scopeToPath(null), label: 'No Organization' },
      ...organizations.map((one) => ({ value: one.public_id, label: one.name })),
    ],
    typed,
  )
  const lit = clamped(at, options.length)
  const choose = (word: string | undefined) => {
    if (word === undefined) return
    setOpen(false)
    organization.send({ type: 'organization.chosen', scope: scopeFromPath(word) })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, number> = { ArrowDown: lit + 1, ArrowUp: lit - 1, Home: 0, End: options.length - 1 }
    const next = moves[event.key]
    if (next === undefined && event.key !== 'Enter') return
    event.preventDefault()
    if (next === undefined) choose(options[lit]?.value)
    else setAt(clamped(next, options.length))
  }
  const show = (next: boolean) => {
    setOpen(next)
    setTyped('')
    setAt(0)
  }
  return (
    <Popover.Root
      open={open}
      onOpenChange={(change) => show(change.open)}
      positioning={{ placement: 'bottom-start', gutter: 4, strategy: 'fixed' }}
    >
      <Popover.Trigger asChild>{children}</Popover.Trigger>
      <Popover.Content className={box} aria-label="Organizations">
        <SearchInput
          label="Choose an organization"
          role="combobox"
          autoFocus
          aria-expanded
          aria-controls={id}
          aria-activedescendant={options.length > 0 ? `${id}-${lit}` : undefined}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value)
            setAt(0)
          }}
          onKeyDown={onKeyDown}
        />
        <div id={id} role="listbox" aria-label="Organizations" className={list}>
          {options.length === 0 && <NoOptions className={none} />}
          {options.map(({ value, label }, index) => (
            <div
              key={value}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={value === scopeToPath(scope)}
              className={menu().item}
              data-highlighted={index === lit ? '' : undefined}
              onPointerMove={() => setAt(index)}
              onClick={() => choose(value)}
              onKeyDown={onKeyDown}
            >
              <Icon name={scopeFromPath(value) === null ? 'user' : 'org'} />
              <span className={name}>{label}</span>
              {value === scopeToPath(scope) && <Icon name="check" />}
            </div>
          ))}
        </div>
      </Popover.Content>
    </Popover.Root>
  )
}
