import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Suspense } from 'react'
import { button } from 'styled-system/recipes'
import { type Failure, leavesUnknown, titleOf, titles } from '../../../contract/core/errors'
import { failureOf } from '../../api/failure'
import { ErrorBox } from '../../ui/layout/notice'
import { refusalOf } from '../scope/grants'
import { ForbiddenRoute, ScopeFailed } from '../scope/guard'
import { lazyPart } from '../page/lazy'
import { describeFailure } from './failure-text'
import { useSystem } from '../system'

const AskForAccess = lazyPart(() => import('../scope/ask-for-access').then((part) => part.AskForAccess))
/** A button to request access, if someone can grant it. */
const ask = (permission: string | undefined) =>
  permission !== undefined && (
    <Suspense>
      <AskForAccess permission={permission} />
    </Suspense>
  )

/** A link to the security page, where the user can turn on the required second factor. */
const security = (
  <Link to="/account/settings/security" className={button()}>
    Security
  </Link>
)

/** A link to the page where a plan is changed. */
const plans = (
  <Link to="/account/settings/subscriptions" className={button()}>
    Subscriptions
  </Link>
)

type Props = {
  error: unknown
  onRetry?: () => void
  children?: string
  /** Of a change: what is said when its answer was lost. */
  unanswered?: string
  /** Whether it is the whole page: its title is then the page's. */
  page?: boolean
}

/** The field errors of a failure outside a form, which has no fields to show them. */
const describeDetails = ({ details }: Failure) =>
  details.length === 0 ? undefined : details.map(({ message }) => message).join('. ')

/** The text for an unknown failure of a read, which changed nothing. */
const unloaded = 'This section could not be loaded. Nothing was changed.'

/** Any failure of a page or of a part of it, in place. `children` says what did not load. */
export const FailureBox = ({ error, onRetry, children, unanswered, page }: Props) => {
  const { organization } = useSystem()
  const { reset } = useQueryErrorResetBoundary()
  if (error instanceof ForbiddenRoute)
    return (
      <ErrorBox page={page} title={titles.unauthorized} action={ask(error.lacking[0])}>
        {refusalOf(error.lacking)}
      </ErrorBox>
    )
  const guarded = error instanceof ScopeFailed ? error : undefined
  const failure = failureOf(guarded ? guarded.cause : error)
  const again = () => {
    reset()
    if (guarded) organization.send({ type: 'retry.asked' })
    onRetry?.()
  }
  const text =
    (failure && describeDetails(failure)) ??
    (failure && describeFailure(failure)) ??
    guarded?.message ??
    children ??
    (onRetry && unloaded)
  return (
    <ErrorBox
      page={page}
      title={titleOf(failure?.status)}
      // Of an action without one nothing would be sent again: its own button does that.
      onRetry={onRetry || guarded ? again : undefined}
      requestId={failure?.requestId}
      action={
        failure?.code === 'second_factor_required' ? security : failure?.status === 402 ? plans : ask(failure?.requiredPermission)
      }
    >
      {unanswered !== undefined && failure && leavesUnknown(failure) ? `${text ?? ''} ${unanswered}` : text}
    </ErrorBox>
  )
}
