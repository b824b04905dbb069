import { Dialog as Ark } from '@ark-ui/react/dialog'
import { Portal } from '@ark-ui/react/portal'
import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useRef } from 'react'
import { dialog, palette } from 'styled-system/recipes'
import { Kbd } from '../text/badge'
import { Icon } from '../icon/icon'
import { marked } from '../text/marked'

export type PaletteItem = {
  id: string
  label: string
  /** Muted text after the name. */
  note?: ReactNode
  /** Before the name: an icon or a shape. */
  lead: ReactNode
  mono?: boolean
  /** The effect of Enter. */
  verb: string
}
export type PaletteGroup<I extends PaletteItem = PaletteItem> = { title: string; items: readonly I[] }

const Keys = ({ keys, children }: { keys: readonly string[]; children: string }) => (
  <span className={palette().key}>
    {keys.map((key) => (
      <Kbd key={key}>{key}</Kbd>
    ))}
    {children}
  </span>
)

type RowProps = {
  id: string
  item: PaletteItem
  typed: string
  lit: boolean
  onLit: () => void
  onTake: (apart: boolean) => void
}

const Row = ({ id, item, typed, lit, onLit, onTake }: RowProps) => {
  const classes = palette()
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (lit) element.current?.scrollIntoView({ block: 'nearest' })
  }, [lit])
  const take = (event: MouseEvent) => onTake(event.metaKey || event.ctrlKey)
  return (
    // The box above has the focus and the keys; a row is taken with them or by a click.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      ref={element}
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={lit}
      className={classes.row}
      onPointerMove={() => !lit && onLit()}
      onClick={take}
    >
      {item.lead}
      <span className={classes.name} data-mono={item.mono || undefined}>
        {marked(item.label, typed).map(({ text, hit }, index) => (hit ? <mark key={index}>{text}</mark> : text))}
      </span>
      {item.note !== undefined && <span className={classes.note}>{item.note}</span>}
      <span className={classes.end} aria-hidden>
        {item.verb}
        <Kbd>↵</Kbd>
      </span>
    </div>
  )
}

type Props<I extends PaletteItem> = {
  /** Whether it is open, and the handler for closing. */
  root: { open: boolean; onOpenChange: (change: { open: boolean }) => void }
  label: string
  /** The scope of the search, in the chip. */
  place?: string | undefined
  typed: string
  onType: (typed: string) => void
  groups: readonly PaletteGroup<I>[]
  lit: number
  onLit: (index: number) => void
  /** `apart`: in a new tab. */
  onTake: (item: I, apart: boolean) => void
  /** Shown when there are no items. */
  empty: ReactNode
  /** The name of the command key here. */
  command: string
}

/** An input with a list of matches below it. The input keeps the focus; arrows move, Enter selects, Escape closes. */
export const Palette = <I extends PaletteItem>(props: Props<I>) => {
  const { root, label, place, typed, onType, groups, lit, onLit, onTake, empty, command } = props
  const classes = palette()
  const input = useRef<HTMLInputElement>(null)
  const items = groups.flatMap((group) => group.items)
  const rowId = (item: PaletteItem) => `palette-${item.id}`
  const current = items[lit]
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, number> = { ArrowDown: lit + 1, ArrowUp: lit - 1 }
    const next = moves[event.key]
    if (next !== undefined) {
      event.preventDefault()
      if (items.length > 0) onLit((next + items.length) % items.length)
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault()
      if (current) onTake(current, event.metaKey || event.ctrlKey)
    }
  }
  return (
    <Ark.Root {...root} initialFocusEl={() => input.current} lazyMount unmountOnExit>
      <Portal>
        <Ark.Backdrop className={dialog().backdrop} />
        <Ark.Positioner className={classes.positioner}>
          <Ark.Content className={classes.content} aria-label={label}>
            <div className={classes.head}>
              <Icon name="search" />
              <input
                ref={input}
                className={classes.input}
                type="text"
                role="combobox"
                aria-label={label}
                aria-expanded={items.length > 0}
                aria-controls="palette-list"
                aria-autocomplete="list"
                aria-activedescendant={current && rowId(current)}
                placeholder={label}
                autoComplete="off"
                spellCheck={false}
                value={typed}
                onChange={(event) => onType(event.target.value)}
                onKeyDown={onKeyDown}
              />
              {place !== undefined && <span className={classes.place}>{place}</span>}
              <Ark.CloseTrigger aria-label="Close, Esc">
                <Kbd>Esc</Kbd>
              </Ark.CloseTrigger>
            </div>
            {items.length === 0 && (
              <p role="status" className={classes.empty}>
                {empty}
              </p>
            )}
            <div id="palette-list" role="listbox" aria-label={label} className={classes.list} hidden={items.length === 0}>
              {groups.map((group) => (
                <div key={group.title} role="group" aria-label={group.title}>
                  <p className={classes.caption} aria-hidden>
                    {group.title}
                  </p>
                  {group.items.map((item) => (
                    <Row
                      key={item.id}
                      id={rowId(item)}
                      item={item}
                      typed={typed}
                      lit={item === current}
                      onLit={() => onLit(items.indexOf(item))}
                      onTake={(apart) => onTake(item, apart)}
                    />
                  ))}
                </div>
              ))}
            </div>
            <footer className={classes.foot}>
              <Keys keys={['↑', '↓']}>move</Keys>
              <Keys keys={['↵']}>open</Keys>
              <Keys keys={[command, '↵']}>new tab</Keys>
              <Keys keys={['Esc']}>close</Keys>
            </footer>
          </Ark.Content>
        </Ark.Positioner>
      </Portal>
    </Ark.Root>
  )
}
