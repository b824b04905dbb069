import type { AuditChain } from '../../../contract/accounts/audit'
import { css } from 'styled-system/css'
import { formatCount } from '../../lib/amounts'
import { groupFingerprint } from '../../lib/names'
import { CopyButton } from '../../ui/text/copy-button'
import { ProofChip, ProofPart } from '../../ui/text/proof-chip'

const row = css({ display: 'inline-flex', alignItems: 'center', gap: '4', minW: '0' })
// Next to the title of a small screen only the icon is shown.
const word = css({ smDown: { srOnly: true } })
const head = css({ textStyle: 'monoSmall', hideBelow: 'sm' })

const verdictOf = ({ verified, first_sequence: first, head_sequence: last, first_bad: bad, anchor }: AuditChain) => {
  if (anchor.state === 'mismatch') return { kind: 'error', words: 'differs from its anchor' } as const
  if (verified === 'yes') return { kind: 'success', words: `verified ${formatCount(first)}–${formatCount(last)}` } as const
  if (verified === 'no') return { kind: 'error', words: `broken at ${formatCount(bad ?? first)}` } as const
  return { kind: 'neutral', words: 'not verified yet' } as const
}

/** The state of the whole audit chain, verified from its first entry to its head just now. */
export const ChainBadge = ({ chain }: { chain: AuditChain }) => {
  if (chain.head_sequence === 0) return null
  const { kind, words } = verdictOf(chain)
  return (
    <span className={row}>
      <ProofChip icon="link" verdict={<ProofPart kind={kind}>{words}</ProofPart>}>
        <span className={word}>Chain</span>
        <code className={head} title={`Head of the chain: ${chain.head_hash}`}>
          {groupFingerprint(chain.head_hash, 8)}
        </code>
      </ProofChip>
      <CopyButton value={chain.head_hash} label="Copy head hash" />
    </span>
  )
}
