import { type CSSProperties, type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { levels } from 'styled-system/recipes'
import { Input } from './input'
import type { Kind } from '../text/kind'
import { Field } from './field'

type Level = {
  name: string
  label: ReactNode
  kind: Kind
  defaultValue: number
  error?: string | undefined
  /** The label of its handle. */
  handle: string
}

type Props = {
  lower: Level
  upper: Level
  unit: string
  /** Without a range there is no scale, only the number inputs. */
  range?: readonly [least: number, most: number] | undefined
  /** Called with the two values if both are numbers. */
  onLevels?: (lower: number, upper: number) => void
  /** A third control in the row. */
  children?: ReactNode
}

const share = (value: number): CSSProperties => ({ '--share': Math.max(0, value) }) as CSSProperties
const signed = (value: number) => String(value).replace('-', '−')
const numberIn = (text: string) => (text.trim() === '' ? Number.NaN : Number(text))

/**
 * Two levels, set on one scale or typed: the same two numbers. Typed text stays, even when it is wrong; a handle stops at the
 * other one.
 */
export const LevelsField = ({ lower, upper, unit, range, onLevels, children }: Props) => {
  const classes = levels()
  const inputs = [useRef<HTMLInputElement>(null), useRef<HTMLInputElement>(null)] as const
  const [at, setAt] = useState([lower.defaultValue, upper.defaultValue] as const)
  const [least, most] = range ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  const within = (value: number) => Math.min(most, Math.max(least, value))

  const heard = (which: 0 | 1, value: number) => {
    if (!Number.isFinite(value)) return
    const next = which === 0 ? ([value, at[1]] as const) : ([at[0], value] as const)
    setAt(next)
    onLevels?.(...next)
  }
  /** Writes a number from the scale into its input and fires its events. */
  const put = (which: 0 | 1, value: number) => {
    const control = inputs[which].current
    if (!control) return
    control.value = String(value)
    heard(which, value)
  }
  const draw = (which: 0 | 1, value: number) => put(which, which === 0 ? Math.min(value, at[1] - 1) : Math.max(value, at[0] + 1))
  const step = (which: 0 | 1) => (event: KeyboardEvent<HTMLInputElement>) => {
    const way = { ArrowUp: 1, ArrowDown: -1 }[event.key]
    if (way === undefined) return
    event.preventDefault()
    put(which, within(Math.round(at[which]) + way * (event.shiftKey ? 10 : 1)))
    event.currentTarget.dispatchEvent(new Event('input', { bubbles: true }))
  }
  const [low, high] = [within(Math.min(...at)), within(Math.max(...at))]
  const both = [lower, upper] as const
  return (
    <div className={classes.root}>
      {range && (
        <div>
          <div className={classes.scale}>
            <div className={classes.track}>
              <span className={classes.part} data-kind="success" style={share(low - least)} />
              <span className={classes.part} data-kind={lower.kind} style={share(high - low)} />
              <span className={classes.part} data-kind={upper.kind} style={share(most - high)} />
            </div>
            {both.map((level, index) => {
              const which = index === 0 ? 0 : 1
              return (
                <input
                  key={level.name}
                  type="range"
                  className={classes.handle}
                  data-kind={level.kind}
                  aria-label={level.handle}
                  aria-valuetext={`${at[which]} ${unit}`}
                  min={least}
                  max={most}
                  value={within(at[which])}
                  onChange={(event) => draw(which, Number(event.target.value))}
                />
              )
            })}
          </div>
          <div className={classes.ends} aria-hidden>
            <span>
              {signed(least)} {unit}
            </span>
            <span>
              {signed(most)} {unit}
            </span>
          </div>
        </div>
      )}
      <div className={classes.fields}>
        {both.map((level, index) => {
          const which = index === 0 ? 0 : 1
          return (
            <Field key={level.name} label={level.label} required error={level.error}>
              <Input
                ref={inputs[which]}
                name={level.name}
                inputMode="decimal"
                defaultValue={level.defaultValue}
                end={unit}
                onChange={(event) => heard(which, numberIn(event.target.value))}
                onKeyDown={step(which)}
              />
            </Field>
          )
        })}
        {children !== undefined && <div className={classes.rest}>{children}</div>}
      </div>
    </div>
  )
}
