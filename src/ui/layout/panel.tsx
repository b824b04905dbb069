import { useId } from 'react'
import type { ReactNode } from 'react'
import { css } from 'styled-system/css'
import { panel } from 'styled-system/recipes'
import { Skeleton } from './skeleton'

type Props = { title?: ReactNode; aside?: ReactNode; flush?: boolean; children: ReactNode }

/** A bordered box with a heading. `flush` leaves out the padding, for rows and tables. */
export const Panel = ({ title, aside, flush, children }: Props) => {
  const id = useId()
  const classes = panel()
  return (
    <section className={classes.root} aria-labelledby={title === undefined ? undefined : id}>
      {title !== undefined && (
        <header className={classes.head}>
          <h2 id={id} className={classes.title}>
            {title}
          </h2>
          {aside !== undefined && <span className={classes.aside}>{aside}</span>}
        </header>
      )}
      {flush ? children : <div className={classes.body}>{children}</div>}
    </section>
  )
}

const stack = css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)', maxW: '960' })

/** The panels of a page of the account. */
export const PanelStack = ({ children }: { children: ReactNode }) => <div className={stack}>{children}</div>

export const PanelRow = ({ children }: { children: ReactNode }) => <div className={panel().row}>{children}</div>

/** Padding for other content of a flush panel. */
export const PanelBody = ({ children }: { children: ReactNode }) => <div className={panel().body}>{children}</div>

const widths = ['long', 'half', 'long'] as const

/** Placeholders for rows. */
export const PanelSkeletons = ({ rows = 3 }: { rows?: number }) => (
  <div aria-busy>
    {Array.from({ length: rows }, (_, row) => (
      <PanelRow key={row}>
        <Skeleton width={widths[row % widths.length] ?? 'half'} />
      </PanelRow>
    ))}
  </div>
)
