import type { Tx } from '../../core/database/tx'
import { endOpenUpload } from './repository'
import { targetOf } from './targets'

/** Ends an unfinished upload: its file is expected again. */
export const cancelUpload = async (tx: Tx, id: string, state: 'failed' | 'expired', error: string, now: Date): Promise<void> => {
  const row = await endOpenUpload(tx, id, { state, error })
  if (row) await targetOf(row.purpose).cancel(tx, row.targetId, now)
}
