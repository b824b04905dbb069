import type { ReactNode } from 'react'
import { cx } from 'styled-system/css'
import { button, dock } from 'styled-system/recipes'
import { Kbd } from '../text/badge'
import { Hint } from './hint'
import { Icon } from '../icon/icon'
import type { IconName } from '../icon/icon'
import { IconButton } from '../icon/icon-button'
import { useReadingOn } from '../list/use-reading-on'

/** "Model gw-2 ✕": an active filter with its clear button. */
export const FilterChip = ({ field, value, onClear }: { field: string; value: ReactNode; onClear: () => void }) => {
  const classes = dock()
  return (
    <span className={classes.filter}>
      <span className={classes.filterKey}>{field}</span>
      <span className={classes.filterValue}>{value}</span>
      <button
        type="button"
        className={classes.filterClear}
        aria-label={`Clear ${field}`}
        data-analytics-name="Clear filter"
        onClick={onClear}
      >
        <Icon name="x" size={12} />
      </button>
    </span>
  )
}

type BulkBarProps = {
  count: string
  onClear: () => void
  /** The key that leads to it from a row; Escape leads back. */
  shortcut: string
  children: ReactNode
}

/** Actions for the selected rows, at the bottom of the page. */
export const BulkBar = ({ count, onClear, shortcut, children }: BulkBarProps) => (
  <section className={dock().bulk} aria-label="Selection" aria-keyshortcuts={shortcut} data-bulk>
    <strong aria-live="polite">{count}</strong>
    <span className={dock().keys}>
      <span>
        <Kbd>{shortcut}</Kbd> to the actions
      </span>
      <span>
        <Kbd>Esc</Kbd> to the list
      </span>
    </span>
    {children}
    <IconButton icon="x" label="Clear selection" variant="ghost" size="small" hint={false} onClick={onClear} />
  </section>
)

/**
 * A toggle in the bottom left corner that shows its text while it is on; on small screens without the text, and hidden while
 * the user scrolls down.
 */
export const CornerButton = ({
  icon,
  label,
  hint,
  word,
  name,
  pressed,
  onClick,
}: {
  icon: IconName
  label: string
  /** Its effect. */
  hint: string
  word: string
  /** Its accessible name in both states. */
  name: string
  pressed: boolean
  onClick: () => void
}) => (
  <span className={dock().corner} data-aside={useReadingOn() || undefined}>
    <Hint text={hint} side="right">
      <button
        type="button"
        className={cx(button({ variant: 'secondary', square: !pressed }), dock().toggle)}
        aria-pressed={pressed}
        aria-label={label}
        data-analytics-name={name}
        onClick={onClick}
      >
        <Icon name={icon} />
        {pressed && <span>{word}</span>}
      </button>
    </Hint>
  </span>
)

type DockProps = {
  title: string
  note?: ReactNode
  collapsed: boolean
  onToggle: () => void
  onClose: () => void
  closeLabel: string
  children: ReactNode
}

/** A panel docked to the bottom: head always visible, its list collapsible. */
export const Dock = ({ title, note, collapsed, onToggle, onClose, closeLabel, children }: DockProps) => {
  const classes = dock()
  return (
    <section className={classes.panel} aria-label={title}>
      <header className={classes.head}>
        <div className={classes.words}>
          <h2 className={classes.title}>{title}</h2>
          {note}
        </div>
        <IconButton
          icon={collapsed ? 'up' : 'down'}
          label={collapsed ? 'Show the files' : 'Hide the files'}
          aria-expanded={!collapsed}
          variant="ghost"
          size="small"
          hint={false}
          onClick={onToggle}
        />
        <IconButton icon="x" label={closeLabel} variant="ghost" size="small" hint={false} onClick={onClose} />
      </header>
      {!collapsed && <ul className={classes.list}>{children}</ul>}
    </section>
  )
}

type RowProps = {
  shape: ReactNode
  name: string
  text: ReactNode
  /** A sentence under the line, if a few words are not enough. */
  note?: ReactNode
  bar: ReactNode
}

/** One line of a dock: shape, name, state, and its bar. */
export const DockRow = ({ shape, name, text, note, bar }: RowProps) => {
  const classes = dock()
  return (
    <li className={classes.row}>
      <div className={classes.line}>
        {shape}
        <code title={name}>{name}</code>
        <small>{text}</small>
      </div>
      {note && <small className={classes.note}>{note}</small>}
      {bar}
    </li>
  )
}
