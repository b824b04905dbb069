import { useId, useMemo } from 'react'
import type { ReactNode } from 'react'
import { field } from 'styled-system/recipes'
import { Hint } from '../overlay/hint'
import { Icon } from '../icon/icon'
import { Shape } from '../layout/shape'
import { Control, type FieldControl } from './use-field'

export type FieldProps = {
  label: ReactNode
  required?: boolean | undefined
  hint?: ReactNode
  /** A longer explanation, behind the info icon next to the label. */
  info?: string | undefined
  error?: string | undefined
  counter?: ReactNode
}

/** Label with asterisk and info, the control, and under it the error or the hint. `group` is for several controls. */
export const Field = ({
  label,
  required,
  hint,
  info,
  error,
  counter,
  group,
  children,
}: FieldProps & { group?: boolean; children: ReactNode }) => {
  const id = useId()
  const classes = field()
  const control = useMemo<FieldControl>(
    () => ({
      id,
      labelId: `${id}l`,
      'aria-describedby': error !== undefined ? `${id}e` : hint !== undefined ? `${id}h` : undefined,
      'aria-invalid': error !== undefined ? true : undefined,
      'aria-required': required ? true : undefined,
    }),
    [id, error, hint, required],
  )
  const name = (
    <>
      <span data-name>{label}</span>
      {required && (
        <span className={classes.asterisk} aria-hidden>
          *
        </span>
      )}
    </>
  )
  return (
    <div
      className={classes.root}
      data-invalid={error !== undefined || undefined}
      {...(group && { role: 'group', 'aria-labelledby': `${id}l` })}
    >
      <div className={classes.label}>
        {group ? (
          <span id={`${id}l`}>{name}</span>
        ) : (
          <label id={`${id}l`} htmlFor={id}>
            {name}
          </label>
        )}
        {info !== undefined && (
          <Hint text={info} side="right">
            <button type="button" className={classes.info} aria-label="More about this field">
              <Icon name="info" size={14} />
            </button>
          </Hint>
        )}
      </div>
      <Control value={control}>{children}</Control>
      {(error !== undefined || hint !== undefined || counter !== undefined) && (
        <div className={classes.foot}>
          {error !== undefined ? (
            <span id={`${id}e`} className={classes.error}>
              <Shape name="error" />
              {error}
            </span>
          ) : (
            hint !== undefined && (
              <span id={`${id}h`} className={classes.hint}>
                {hint}
              </span>
            )
          )}
          {counter !== undefined && <span className={classes.counter}>{counter}</span>}
        </div>
      )}
    </div>
  )
}

/** A read-only value, as plain text under its label. */
export const ReadOnlyField = ({ label, info, hint, mono, children }: FieldProps & { mono?: boolean; children: ReactNode }) => (
  <Field label={label} info={info} hint={hint} group>
    <div className={field().readOnly} data-mono={mono || undefined}>
      {children}
    </div>
  </Field>
)
