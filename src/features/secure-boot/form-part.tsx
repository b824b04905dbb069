import type { ReactNode } from 'react'
import { css } from 'styled-system/css'
import { Shape } from '../../ui/layout/shape'

type FieldOf = (name: string) => { name: string; error: string | undefined }
export type FormParts = { field: FieldOf; groupError: (name: string) => string | undefined }

const part = css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)' })
const title = css({ textStyle: 'heading', color: 'text' })
const hint = css({ textStyle: 'small', color: 'muted' })
const wrong = css({ display: 'flex', alignItems: 'center', gap: '6', textStyle: 'small', color: 'error.text' })
const row = css({ display: 'grid', gap: '12', gridTemplateColumns: 'minmax(0, 1fr)', borderTop: 'line', pt: '12' })
const head = css({ display: 'flex', alignItems: 'center', justifyContent: 'space-between', gap: '8' })

type Props = { title: string; description: string; error?: string | undefined; children: ReactNode }

/** A titled part of a long form, with an error of the part itself. */
export const FormPart = ({ title: name, description, error, children }: Props) => (
  <div className={part} role="group" aria-label={name} data-invalid={error !== undefined || undefined}>
    <div>
      <h2 className={title}>{name}</h2>
      <p className={hint}>{description}</p>
    </div>
    {children}
    {error !== undefined && (
      <p className={wrong} role="alert">
        <Shape name="error" />
        {error}
      </p>
    )}
  </div>
)

/** One of several rows of a part, with what removes it. */
export const FormRow = ({ title: name, action, children }: { title: string; action?: ReactNode; children: ReactNode }) => (
  <div className={row} role="group" aria-label={name}>
    <div className={head}>
      <h3 className={css({ textStyle: 'strong' })}>{name}</h3>
      {action}
    </div>
    {children}
  </div>
)
