import type { ReactNode } from 'react'
import { css, cx } from 'styled-system/css'
import { page } from 'styled-system/recipes'
import { Icon } from '../icon/icon'

type Width = 'cards' | 'form' | 'wide'

export const Page = ({ width = 'wide', children }: { width?: Width; children: ReactNode }) => (
  <div className={page().root} data-width={width}>
    {children}
  </div>
)

type HeadProps = {
  title: ReactNode
  /** Machine-made names are set in mono. */
  mono?: boolean
  count?: ReactNode
  /** Chips after the name. */
  chips?: ReactNode
  /** The list's filter box, next to the actions. */
  filter?: ReactNode
  /** The primary one last: it is rightmost. */
  actions?: ReactNode
  /** Links of the breadcrumb; the last entry is the current page. */
  crumbs?: ReactNode[]
}

export const PageHead = ({ title, mono, count, chips, filter, actions, crumbs }: HeadProps) => {
  const classes = page()
  return (
    <>
      {crumbs && <Breadcrumb places={crumbs} />}
      <header className={classes.head} data-crumbs={crumbs ? true : undefined}>
        <h1 className={classes.title} data-mono={mono || undefined}>
          {title}
          {count !== undefined && <span className={classes.count}>{count}</span>}
        </h1>
        {chips}
        {filter !== undefined && <div className={classes.filter}>{filter}</div>}
        {actions !== undefined && (
          <div className={classes.actions} data-bottom-bar={crumbs ? true : undefined}>
            {actions}
          </div>
        )}
      </header>
    </>
  )
}

const Breadcrumb = ({ places }: { places: ReactNode[] }) => (
  <nav aria-label="Breadcrumb">
    <ol className={page().crumbs}>
      {places.map((place, index) => (
        <li key={index} aria-current={index === places.length - 1 ? 'page' : undefined}>
          {index > 0 && <Icon name="right" size={12} />}
          {place}
        </li>
      ))}
    </ol>
  </nav>
)

export const ToolRow = ({ children }: { children: ReactNode }) => <div className={page().tools}>{children}</div>

/**
 * Main column, and from 1280 px a side column next to it; below that it follows, or with `sideFirst` precedes, the main column.
 */
export const Columns = ({ side, sideFirst, children }: { side: ReactNode; sideFirst?: boolean; children: ReactNode }) => {
  const classes = page()
  return (
    <div className={classes.columns}>
      <div className={cx(classes.main, side === undefined && css({ gridColumn: '1 / -1' }))}>{children}</div>
      {side !== undefined && (
        <div className={classes.side} data-first={sideFirst || undefined}>
          {side}
        </div>
      )}
    </div>
  )
}
