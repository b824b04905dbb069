import { type ReactNode, useId } from 'react'
import { css } from 'styled-system/css'
import { Callout } from '../../../../ui/layout/notice'

const stack = css({ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: '16' })
const line = css({ textStyle: 'body', color: 'muted' })

type Props = { title: string; description?: string; error?: string | undefined; children: ReactNode }

/** A group of fields with a heading, and the error of the group itself. */
export const Section = ({ title, description, error, children }: Props) => {
  const id = useId()
  return (
    <section className={stack} aria-labelledby={id}>
      <div>
        <h2 id={id} className={css({ textStyle: 'heading' })}>
          {title}
        </h2>
        {description !== undefined && <p className={line}>{description}</p>}
      </div>
      {error !== undefined && (
        <div role="alert">
          <Callout kind="error">{error}</Callout>
        </div>
      )}
      {children}
    </section>
  )
}
