import { type ComponentProps, type ReactNode, useId, useMemo } from 'react'
import { css, cx } from 'styled-system/css'
import { table } from 'styled-system/recipes'
import { Icon } from '../icon/icon'

const hidden = css({ srOnly: true })
// Once and not per cell: rows are rendered while a list scrolls.
const classes = table()

type RootProps = ComponentProps<'table'> & {
  caption: string
  dense?: boolean
  /** Columns as wide as their content; otherwise widths come from `Th`. */
  auto?: boolean
  /** Scrolls sideways in its own box: for tables inside a panel. The head is not sticky then. */
  scroll?: boolean
  /** Two-line rows under 768 px: each `Cell` gives its position with `at`. */
  stack?: boolean
  /** Its body is `VirtualRows`. */
  virtual?: boolean
}

/** A box is scrolled by keyboard only if it can have the focus: it can while its table is wider. */
const focusWhenWide = (caption: string) => (frame: HTMLDivElement | null) => {
  if (!frame) return
  const update = () => {
    const isWide = frame.scrollWidth > frame.clientWidth
    for (const [name, value] of Object.entries({ tabindex: '0', role: 'group', 'aria-label': caption }))
      if (isWide) frame.setAttribute(name, value)
      else frame.removeAttribute(name)
  }
  const sizes = new ResizeObserver(update)
  for (const one of [frame, ...frame.children]) sizes.observe(one)
  return () => sizes.disconnect()
}

export const Root = ({ caption, dense, auto, scroll, stack, virtual, className, children, ...rest }: RootProps) => {
  const ref = useMemo(() => focusWhenWide(caption), [caption])
  return (
    <div
      ref={scroll ? ref : undefined}
      className={classes.frame}
      data-scroll={scroll || undefined}
      data-stack={stack || undefined}
      data-dense={dense || undefined}
    >
      <table
        {...rest}
        // oxlint-disable-next-line jsx-a11y/no-redundant-roles -- the rows of a virtual table are not laid out as a table
        role={virtual ? 'table' : undefined}
        className={cx(classes.root, className)}
        data-auto={auto || undefined}
        data-virtual={virtual || undefined}
      >
        <caption className={hidden}>{caption}</caption>
        {children}
      </table>
    </div>
  )
}

export const Head = ({ children }: { children: ReactNode }) => (
  <thead className={classes.head}>
    <tr>{children}</tr>
  </thead>
)

type ThProps = Omit<ComponentProps<'th'>, 'align'> & {
  align?: 'start' | 'end' | undefined
  sorted?: 'ascending' | 'descending' | 'none'
  onSort?: () => void
  /** A control at the end of the cell, next to the sort button. */
  handle?: ReactNode
}

/** A column without a visible head has its name in `aria-label`; it is rendered as hidden text, like every other head. */
export const Th = ({ align, sorted, onSort, handle, className, children, 'aria-label': unseen, ...rest }: ThProps) => {
  const id = useId()
  // Otherwise the name of the column would contain that of the handle.
  const named = handle === undefined ? {} : { id }
  return (
    <th
      scope="col"
      aria-sort={sorted}
      aria-labelledby={named.id}
      {...rest}
      className={cx(classes.th, className)}
      data-align={align}
    >
      {onSort ? (
        <button type="button" {...named} className={classes.sort} onClick={onSort}>
          {children}
          {sorted && sorted !== 'none' && <Icon name="down" size={12} />}
        </button>
      ) : handle ? (
        <span {...named}>{children}</span>
      ) : (
        (children ?? (unseen && <span className={hidden}>{unseen}</span>))
      )}
      {handle}
    </th>
  )
}

export const Body = (props: ComponentProps<'tbody'>) => <tbody {...props} />

type RowProps = ComponentProps<'tr'> & { selected?: boolean; dimmed?: boolean; onOpen?: () => void }

/** The name is the link; the rest of the row opens the same page. */
export const Row = ({ selected, dimmed, onOpen, className, ...rest }: RowProps) => (
  <tr
    {...rest}
    className={cx(classes.row, className)}
    aria-selected={selected}
    data-dimmed={dimmed || undefined}
    data-open={onOpen ? true : undefined}
    onClick={
      onOpen &&
      ((event) => {
        const inside = event.target instanceof Element && event.target.closest('a, button, input, label, [role=menu]')
        if (!inside && !window.getSelection()?.toString()) onOpen()
      })
    }
  />
)

type CellProps = Omit<ComponentProps<'td'>, 'align'> & {
  align?: 'start' | 'end' | undefined
  mono?: boolean
  quiet?: boolean
  menu?: boolean
  wrap?: boolean
  /** Its position in a stacked row; without one it is hidden there. */
  at?: 'check' | 'lead' | 'end' | 'sub' | 'subEnd'
}

export const Cell = ({ align, mono, quiet, menu, wrap, at, className, ...rest }: CellProps) => (
  <td
    {...rest}
    className={cx(classes.cell, className)}
    data-align={align}
    data-mono={mono || undefined}
    data-quiet={quiet || undefined}
    data-menu={menu || undefined}
    data-wrap={wrap || undefined}
    data-at={at}
  />
)

/** Shape and name, next to each other, in the first text column. */
export const Name = ({ children }: { children: ReactNode }) => (
  <span className={classes.name} data-named>
    {children}
  </span>
)
