import type { ReactNode } from 'react'
import { css } from 'styled-system/css'
import { AskDialog } from '../../../system/ask-dialog'
import type { useBulkChange } from './use-bulk-change'

const stack = css({ display: 'grid', gap: '12', gridTemplateColumns: 'minmax(0, 1fr)' })

type Props = {
  change: ReturnType<typeof useBulkChange>
  title: string
  text: string
  verb: string
  danger?: boolean
  ready?: boolean
  onStart: () => void
  children?: ReactNode
}

/** The window of a bulk change: what it does, its fields, and the step that starts it. */
export const BulkWindow = ({ change, danger = false, onStart, children, ...asked }: Props) => (
  <AskDialog
    {...asked}
    modal={change}
    danger={danger}
    busyVerb="Starting..."
    busy={change.isPending}
    error={change.error}
    unanswered="It is not known whether the bulk change has started. Try it again: it is not started twice."
    onConfirm={onStart}
  >
    {children !== undefined && <div className={stack}>{children}</div>}
  </AskDialog>
)
