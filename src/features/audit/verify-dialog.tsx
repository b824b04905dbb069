import { useEffect } from 'react'
import { css } from 'styled-system/css'
import { type ChainProgress, describeFinding, type SignatureResult } from '../../../contract/accounts/audit-verification'
import { type AuditScope, readAuditChain } from '../../api/queries/accounts/audit'
import { formatCount } from '../../lib/amounts'
import { formatExact } from '../../lib/dates'
import { pluralize } from '../../lib/pluralize'
import { useModal } from '../../system/modals/use-modal'
import { describeError } from '../../system/failure/describe-error'
import { useLongWork } from '../../system/long-work'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { CopyableId } from '../../ui/text/copyable-id'
import * as Dialog from '../../ui/overlay/dialog'
import { Pairs } from '../../ui/layout/facts'
import { Callout } from '../../ui/layout/notice'
import { Progress } from '../../ui/layout/progress'
import { verifyChain } from './verify-chain'

const body = css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)' })

const signatureText: Record<SignatureResult, string> = {
  valid: 'signature valid',
  invalid: 'signature not valid',
  unable: 'this browser cannot check the signature',
}

const countText = ({ checked, total }: ChainProgress) => `${formatCount(checked)} of ${pluralize(total, 'entry', 'entries')}`

const resultText = ({ first, last, total }: ChainProgress) =>
  total === 0
    ? 'The log has no entries to verify.'
    : `Verified: no entry from ${formatCount(first)} to ${formatCount(last)} was changed, removed or moved.`

const factsOf = ({ checked, recomputed, checkpoint, anchor, key }: ChainProgress) => [
  { label: 'Hashed again', value: pluralize(recomputed, 'entry', 'entries') },
  ...(checked === recomputed
    ? []
    : [
        {
          label: 'Linked only',
          value: `${pluralize(checked - recomputed, 'entry', 'entries')} outside this project, which are not shown here`,
        },
      ]),
  ...(checkpoint
    ? [
        {
          label: 'Retention',
          value: `Entries up to ${formatCount(checkpoint.sequence)} were removed, ${signatureText[checkpoint.signature]}`,
        },
      ]
    : []),
  {
    label: 'Signed head',
    value: anchor
      ? `Entry ${formatCount(anchor.sequence)}, ${formatExact(new Date(anchor.at))}, ${signatureText[anchor.signature]}`
      : 'None yet',
  },
  ...(key ? [{ label: 'Key', value: <CopyableId value={key.fingerprint} label="Copy key fingerprint" /> }] : []),
]

/** Reads a whole log and verifies it in a worker of this browser, which trusts no verdict of the server. */
export const VerifyDialog = ({ scope, onClose }: { scope: AuditScope; onClose: () => void }) => {
  const { close, root } = useModal('verify_audit', onClose)
  const { api } = useSystem()
  const { progress, error, stage, start, cancel } = useLongWork<ChainProgress>({
    run: ({ signal, onProgress }) =>
      verifyChain((after, reading) => readAuditChain(api, scope, after, reading), onProgress, signal),
  })
  useEffect(() => start(), [start])
  const finding = progress?.finding
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        title="Verify the audit log"
        description="This browser hashes each entry again and compares it with the entry before it."
        footer={
          stage === 'idle' || stage === 'busy' ? <Button onClick={cancel}>Cancel</Button> : <Button onClick={close}>Close</Button>
        }
      >
        <div className={body}>
          <Progress
            label="Verified entries"
            kind={finding ? 'error' : progress?.done ? 'success' : 'info'}
            {...(progress && { value: progress.total === 0 ? 1 : progress.checked / progress.total })}
          >
            {progress ? countText(progress) : 'Reading the log'}
          </Progress>
          {finding && (
            <Callout kind="error">
              {describeFinding(finding)} Entries before it are verified. Ask the operator of this installation to compare the log
              with a backup.
            </Callout>
          )}
          {progress?.done && !finding && <Callout kind="success">{resultText(progress)}</Callout>}
          {stage === 'cancelled' && <Callout kind="neutral">Cancelled. The rest of the log was not verified.</Callout>}
          {stage === 'failed' && (
            <Callout kind="error">
              {describeError(error, 'The log could not be read')}. The rest of the log was not verified.
            </Callout>
          )}
          {progress && <Pairs facts={factsOf(progress)} />}
        </div>
      </Dialog.Window>
    </Dialog.Root>
  )
}
