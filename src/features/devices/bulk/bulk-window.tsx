import type { ReactNode } from 'react'
import { css } from 'styled-system/css'
import { FailureBox } from '../../../system/failure/failure-box'
import { Button } from '../../../ui/button'
import * as Dialog from '../../../ui/overlay/dialog'
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
export const BulkWindow = ({ change, title, text, verb, danger, ready = true, onStart, children }: Props) => (
  <Dialog.Root {...change.root} role="alertdialog">
    <Dialog.Window
      title={title}
      description={text}
      footer={
        <>
          <Button onClick={change.cancel}>Cancel</Button>
          <Button
            variant={danger ? 'danger' : 'primary'}
            disabled={!ready}
            busy={change.isPending}
            busyLabel="Starting..."
            onClick={onStart}
          >
            {verb}
          </Button>
        </>
      }
    >
      <div className={stack}>
        {children}
        {change.error !== null && (
          <FailureBox
            error={change.error}
            unanswered="It is not known whether the bulk change has started. Try it again: it is not started twice."
          />
        )}
      </div>
    </Dialog.Window>
  </Dialog.Root>
)
