import type { AuditChain, AuditEntry } from '../../../contract/accounts/audit'

type Numbers = Pick<AuditChain, 'first_sequence' | 'head_sequence'>

/**
 * Whether entries of the chain are missing among these, newest first. `isWhole`: there is none before the last one, so that the
 * numbers down to the first of the chain are missing too.
 */
export const hasGaps = (rows: readonly Pick<AuditEntry, 'sequence'>[], chain: Numbers, isWhole: boolean): boolean => {
  const numbers = rows.map(({ sequence }) => sequence)
  const end = isWhole ? [chain.first_sequence - 1] : []
  const all = [chain.head_sequence + 1, ...numbers, ...end]
  return all.some((number, at) => at > 0 && (all[at - 1] ?? 0) - number > 1)
}
