import type { Tx } from '../../core/database/tx'
import { endSessionsOfUser } from './repository'
import { endSignInsOfUser } from './sign-ins.repository'
import { deleteStepsOfUser } from './sign-in-steps.repository'

/** Ends a person's sessions of the console and the sign-ins from which new ones could be created. `kept` stays. */
export const endSessions = async (
  tx: Tx,
  userId: string,
  now: Date,
  kept?: { id: string; signInId: string | null },
): Promise<number> => {
  // The sign-ins first: this waits for a concurrent exchange of a code, whose session is then ended below.
  await endSignInsOfUser(tx, userId, now, kept?.signInId)
  // They were started with the old password, or are no longer trusted.
  await deleteStepsOfUser(tx, userId)
  return endSessionsOfUser(tx, userId, now, kept?.id)
}
