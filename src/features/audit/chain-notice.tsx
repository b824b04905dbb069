import type { AuditChain } from '../../../contract/accounts/audit'
import { css } from 'styled-system/css'
import { formatCount } from '../../lib/amounts'
import { formatExact, parseTime } from '../../lib/dates'
import { Banner } from '../../ui/layout/notice'
import { useNow } from '../../ui/text/time'

const wrap = css({ mb: '16' })
const RESTORE_SHOWN_MS = 30 * 86_400_000

const mismatchText = ({ anchor, head_sequence: last }: AuditChain): string => {
  const when = anchor.anchored_at === null ? '' : ` on ${formatExact(parseTime(anchor.anchored_at))}`
  const anchored = `Entry ${formatCount(anchor.sequence ?? 0)} was anchored${when}`
  if (anchor.mismatch === 'end_removed')
    return `Entries were removed from the end: ${anchored}, the log ends at ${formatCount(last)}.`
  if (anchor.mismatch === 'start_removed') return 'Entries were removed from the start, and not by retention.'
  if (anchor.mismatch === 'rewritten') return `Entries were replaced: ${anchored} with another hash.`
  return 'The anchor in the data directory was changed.'
}

/** A difference between the log and its anchor outside the database, or a restored backup in the last 30 days. */
export const ChainNotice = ({ chain }: { chain: AuditChain }) => {
  const now = useNow()
  const { state, restored_at: restoredAt, restored_from: from } = chain.anchor
  if (state === 'mismatch')
    return (
      <div className={wrap}>
        <Banner kind="error">
          This audit log was changed in the database. {mismatchText(chain)} Ask the operator of this installation to compare it
          with a backup.
        </Banner>
      </div>
    )
  if (restoredAt === null || now.getTime() - parseTime(restoredAt).getTime() > RESTORE_SHOWN_MS) return null
  return (
    <div className={wrap}>
      <Banner kind="info">
        A backup was restored on {formatExact(parseTime(restoredAt))}.
        {from !== null && ` The log had been anchored up to entry ${formatCount(from)} before.`}
      </Banner>
    </div>
  )
}
