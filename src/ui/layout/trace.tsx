import type { ReactNode } from 'react'
import { trace } from 'styled-system/recipes'
import { Icon } from '../icon/icon'
import type { Kind } from '../text/kind'
import { Shape } from './shape'
import type { ShapeName } from './shape'
import { useNarrow } from './use-narrow'

/** `observed` of a check that was not reached: why it is not needed. */
export type Check = { name: string; mark: 'passed' | 'stopped' | 'notreached'; observed?: ReactNode }

type Props = {
  kind: Exclude<Kind, 'quiet'>
  shape: ShapeName
  /** The answer in one sentence, and when it ends. */
  answer: ReactNode
  until?: ReactNode
  checks: readonly Check[]
}

/** The answer first, then every check: the failed one is highlighted, passed ones have only a plain icon. */
export const Trace = ({ kind, shape, answer, until, checks }: Props) => {
  const classes = trace()
  const narrow = useNarrow()
  return (
    <>
      <div className={classes.answer} data-kind={kind} role="status">
        <Shape name={shape} kind={kind} />
        <p className={classes.sentence}>{answer}</p>
        {until !== undefined && <p>{until}</p>}
      </div>
      {/* On a phone only the answer is open; the checks are collapsed. */}
      <details open={!narrow} hidden={checks.length === 0}>
        <summary className={classes.all}>All {checks.length} checks</summary>
        <ol className={classes.list}>
          {checks.map((check, index) => (
            <li
              key={check.name}
              className={classes.row}
              data-mark={check.mark}
              data-kind={check.mark === 'stopped' ? kind : undefined}
            >
              <span className={classes.number}>{index + 1}</span>
              {check.mark === 'passed' ? (
                <span className={classes.passed}>
                  <Icon name="check" size={12} label="passed" />
                </span>
              ) : (
                <Shape
                  name={check.mark === 'stopped' ? shape : 'notreached'}
                  kind={check.mark === 'stopped' ? kind : undefined}
                  label={check.mark === 'stopped' ? 'stops here' : check.observed === undefined ? 'not reached' : 'not needed'}
                />
              )}
              <span className={classes.name}>{check.name}</span>
              <span className={classes.observed}>
                {check.observed ?? (check.mark === 'notreached' ? 'not reached' : undefined)}
              </span>
            </li>
          ))}
        </ol>
      </details>
    </>
  )
}
