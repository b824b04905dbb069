import type { FuseDifference, FuseWord, PlanStep } from '../../../contract/updates/secure-boot/fuses'
import type { StatusDisplay } from '../../lib/status-display'

export const purposeLabels: Record<FuseWord['purpose'], string> = {
  key_hash: 'Key hash',
  key_revoke: 'Key revocation',
  rollback: 'Rollback version',
  feature: 'Feature',
  debug: 'Debug lock',
  close: 'Close the part',
}

/** Byte ranges as people compare them with a hex dump. */
export const rangeText = ({ offset, length }: { offset: number; length: number }): string =>
  length === 0 ? `at 0x${offset.toString(16)}` : `bytes 0x${offset.toString(16)} to 0x${(offset + length - 1).toString(16)}`

const stepStates: Record<PlanStep['state'], StatusDisplay> = {
  blocked: { shape: 'waiting', word: 'Waits for the steps before it' },
  pending: { shape: 'draft', word: 'To do' },
  confirmed: { shape: 'running', word: 'Confirmed' },
  written: { shape: 'running', word: 'Written, not verified' },
  verified: { shape: 'success', word: 'Verified' },
  mismatch: { shape: 'error', word: 'Another value is there' },
}
export const stepDisplay = (state: PlanStep['state']): StatusDisplay => stepStates[state]

const changes: Record<FuseDifference['change'], StatusDisplay> = {
  none: { shape: 'success', word: 'As planned' },
  write: { shape: 'info', word: 'Will be written' },
  unknown: { shape: 'none', word: 'Not reported' },
  conflict: { shape: 'error', word: 'Conflict' },
}
export const changeDisplay = (change: FuseDifference['change']): StatusDisplay => changes[change]

/** How a plan begins: what it writes for good. */
export const planSummary = (steps: number, irreversible: number): string =>
  `${steps} ${steps === 1 ? 'step' : 'steps'}, ${irreversible === 0 ? 'none' : irreversible} of them irreversible`
