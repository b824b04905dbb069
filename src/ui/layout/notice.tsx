import type { ReactNode } from 'react'
import { notice } from 'styled-system/recipes'
import { Button } from '../button'
import { CopyButton } from '../text/copy-button'
import { Icon } from '../icon/icon'
import type { Kind } from '../text/kind'
import { Mark } from '../icon/mark'
import { Shape } from './shape'
import type { ShapeName } from './shape'

type Said = Exclude<Kind, 'quiet'>
const shapeOf: Record<Said, ShapeName> = {
  success: 'success',
  error: 'error',
  info: 'info',
  warning: 'warning',
  neutral: 'waiting',
}

type BannerProps = { kind: Said; children: ReactNode; wide?: boolean; action?: { label: string; onClick: () => void } }

/** One line about the page, or with `wide` about the app (then above the header). */
export const Banner = ({ kind, children, wide, action }: BannerProps) => {
  const classes = notice()
  return (
    <div className={classes.banner} data-kind={kind} data-wide={wide || undefined} role={kind === 'error' ? 'alert' : 'status'}>
      <Shape name={shapeOf[kind]} />
      <span className={classes.text}>{children}</span>
      {action && (
        <button type="button" className={classes.action} onClick={action.onClick}>
          {action.label}
        </button>
      )}
    </div>
  )
}

/** A sentence with its reason, in a box of its kind. */
export const Callout = ({ kind, shape, children }: { kind: Said; shape?: ShapeName; children: ReactNode }) => {
  const classes = notice()
  return (
    <div className={classes.callout} data-kind={kind}>
      <Shape name={shape ?? shapeOf[kind]} kind={kind} />
      <div className={classes.text}>{children}</div>
    </div>
  )
}

type EmptyProps = { title: string; children?: ReactNode; action?: ReactNode; small?: boolean }

/** What is missing, one sentence on how to begin, one button if allowed. */
export const EmptyState = ({ title, children, action, small }: EmptyProps) => {
  const classes = notice()
  return (
    <div className={classes.empty} data-small={small || undefined}>
      {!small && <Mark size={64} look="empty" />}
      <h2 className={classes.emptyTitle} data-quiet={title === 'Not Found' || undefined}>
        {title}
      </h2>
      {children !== undefined && <p className={classes.emptyText}>{children}</p>}
      {action && <div className={classes.emptyActions}>{action}</div>}
    </div>
  )
}

type ErrorProps = {
  /** The text of the catalogue (§8). */
  title: string
  /** Its meaning here. */
  children?: ReactNode
  onRetry?: (() => void) | undefined
  requestId?: string | undefined
  action?: ReactNode
  /** Whether it is the whole page: its title is then the page's. */
  page?: boolean | undefined
}

export const ErrorBox = ({ title, children, onRetry, requestId, action, page }: ErrorProps) => {
  const classes = notice()
  const Title = page ? 'h1' : 'h2'
  return (
    <div className={classes.error} role="alert">
      <Title className={classes.errorHead}>
        <Shape name="error" />
        {title}
      </Title>
      {children !== undefined && <p className={classes.errorText}>{children}</p>}
      <div className={classes.errorFoot}>
        {onRetry && (
          <Button icon={<Icon name="refresh" />} onClick={onRetry}>
            Try again
          </Button>
        )}
        {action}
        {requestId && (
          <span className={classes.errorId}>
            <code>{requestId}</code>
            <CopyButton value={requestId} label="Copy request id" />
          </span>
        )}
      </div>
    </div>
  )
}
