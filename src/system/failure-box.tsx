import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Suspense } from 'react'
import { button } from 'styled-system/recipes'
import { type Failure, titleOf, titles } from '../../contract/errors'
import { failureOf } from '../api/failure'
import { ErrorBox } from '../ui/notice'
import { refusalOf } from './grants'
import { ForbiddenRoute, ScopeFailed } from './guard'
import { lazyPart } from './lazy'
import { describeFailure } from './failure-text'
import { useSystem } from './system'

const AskForAccess = lazyPart(() => import('./ask-for-access').then((part) => part.AskForAccess))
/** The way out of a refusal, where somebody can be asked. */
const ask = (permission: string | undefined) =>
  permission !== undefined && (
    <Suspense>
      <AskForAccess permission={permission} />
    </Suspense>
  )

/** … and of one that the refused can mend themselves. */
const security = (
  <Link to="/account/settings/security" className={button()}>
    Security
  </Link>
)

type Props = {
  error: unknown
  onRetry?: () => void
  children?: string
  /** All that there is of a page: its title is the page's. */
  page?: boolean
}

/** No form stands around it whose fields would say what is wrong with them. */
const describeDetails = ({ details }: Failure) =>
  details.length === 0 ? undefined : details.map(({ message }) => message).join('. ')

/** Where nothing more is known: what can be asked again was only read. */
const unloaded = 'This section could not be loaded. Nothing was changed.'

/** Any failure of a page or of a part of it, in place. `children` says what did not load. */
export const FailureBox = ({ error, onRetry, children, page }: Props) => {
  const { organization } = useSystem()
  const { reset } = useQueryErrorResetBoundary()
  if (error instanceof ForbiddenRoute)
    return (
      <ErrorBox page={page} title={titles.unauthorized} action={ask(error.lacking[0])}>
        {refusalOf(error.lacking)}
      </ErrorBox>
    )
  const failure = failureOf(error)
  const again = () => {
    reset()
    if (error instanceof ScopeFailed) organization.send({ type: 'retry.asked' })
    onRetry?.()
  }
  return (
    <ErrorBox
      page={page}
      title={titleOf(failure?.status)}
      onRetry={again}
      requestId={failure?.requestId}
      action={failure?.code === 'second_factor_required' ? security : ask(failure?.requiredPermission)}
    >
      {(failure && describeDetails(failure)) ?? (failure && describeFailure(failure)) ?? children ?? (onRetry && unloaded)}
    </ErrorBox>
  )
}
