import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { Suspense } from 'react'
import { type Failure, isRefusal, leavesUnknown, titleOf, titles } from '../../../contract/core/errors'
import { failureOf } from '../../api/failure'
import { ErrorBox } from '../../ui/layout/notice'
import { refusalOf } from '../scope/grants'
import { ForbiddenRoute, ScopeFailed } from '../scope/guard'
import { lazyPart } from '../page/lazy'
import { describeFailure } from './failure-text'
import { useSystem } from '../system'

const WaysOn = lazyPart(() => import('./ways-on').then((part) => part.WaysOn))

type Props = {
  error: unknown
  onRetry?: () => void
  children?: string | undefined
  /** Of a change: what is said when its answer was lost. */
  unanswered?: string
  /** Whether it is the whole page: a refusal then links to other pages. */
  page?: boolean
  /** Whether the page has a head above it. Otherwise its title is the page's. */
  headed?: boolean
}

/** The field errors of a failure outside a form, which has no fields to show them. */
export const describeDetails = ({ details }: Failure) =>
  details.length === 0 ? undefined : details.map(({ message }) => message).join('. ')

/** The text for an unknown failure of a read, which changed nothing. */
const unloaded = 'This section could not be loaded. Nothing was changed.'

/** Any failure of a page or of a part of it, in place. `children` says what did not load. */
export const FailureBox = ({ error, onRetry, children, unanswered, page, headed }: Props) => {
  const { organization } = useSystem()
  const { reset } = useQueryErrorResetBoundary()
  const forbidden = error instanceof ForbiddenRoute ? error.lacking : undefined
  const guarded = error instanceof ScopeFailed ? error : undefined
  const failure = failureOf(guarded ? guarded.cause : error)
  const refused = forbidden || (failure && isRefusal(failure))
  const again = () => {
    reset()
    if (guarded) organization.send({ type: 'retry.asked' })
    onRetry?.()
  }
  const text = forbidden
    ? refusalOf(forbidden)
    : ((failure && describeDetails(failure)) ??
      (failure && describeFailure(failure)) ??
      guarded?.message ??
      children ??
      (onRetry && unloaded))
  return (
    <ErrorBox
      page={page && !headed}
      title={forbidden ? titles.unauthorized : titleOf(failure?.status)}
      // Of an action without one nothing would be sent again: its own button does that. A refusal would be the same again.
      onRetry={!refused && (onRetry || guarded) ? again : undefined}
      requestId={failure?.requestId}
    >
      {refused ? (
        <Suspense fallback={text}>
          <WaysOn failure={failure} permission={forbidden ? forbidden[0] : failure?.requiredPermission} page={page}>
            {text}
          </WaysOn>
        </Suspense>
      ) : unanswered !== undefined && failure && leavesUnknown(failure) ? (
        `${text ?? ''} ${unanswered}`
      ) : (
        text
      )}
    </ErrorBox>
  )
}
