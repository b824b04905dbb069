import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import { failureOf } from '../../api/failure'
import { Callout } from '../../ui/layout/notice'
import { describeDetails, FailureBox } from './failure-box'
import { describeFailure, isPlainRefusal, toChangeTitle } from './failure-text'

const stack = css({ display: 'grid', gap: '4' })

type Props = {
  error: unknown
  unanswered: string
  /** Said when nothing more is known. */
  children?: string
}

/**
 * Why a change failed. A refusal says what is so now, without the title of a fault: nothing is broken. `unanswered`: said when the
 * answer was lost.
 */
export const ChangeFailure = ({ error, unanswered, children }: Props) => {
  if (error === null) return null
  const failure = failureOf(error)
  if (!failure || !isPlainRefusal(failure)) {
    return (
      <FailureBox error={error} unanswered={unanswered}>
        {children}
      </FailureBox>
    )
  }
  const title = toChangeTitle(failure)
  return (
    <div role="alert">
      <Callout kind="warning">
        <div className={stack}>
          {title !== undefined && <strong>{title}</strong>}
          <p>{describeDetails(failure) ?? describeFailure(failure) ?? failure.message}</p>
          {failure.status === 402 && (
            // A new tab, so that what was chosen stays.
            <a className={link()} href="/account/settings/subscriptions" target="_blank" rel="noreferrer">
              Subscriptions
            </a>
          )}
        </div>
      </Callout>
    </div>
  )
}
