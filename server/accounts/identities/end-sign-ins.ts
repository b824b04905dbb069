import type { Tx } from '../../core/database/tx'
import { endSessionsOfSignIn } from '../sessions/repository'
import { endSignIn } from '../sessions/sign-ins.repository'
import { listSignInsOf } from './repository'

type Which = { providerSession?: string | undefined; kept?: string | null }

/** Ends the sign-ins of an account of a provider, or those of one session there, with their sessions; their ids. `kept` stays. */
export const endSignInsOf = async (
  tx: Tx,
  identityId: string,
  now: Date,
  { providerSession, kept = null }: Which,
): Promise<string[]> => {
  const ids = (await listSignInsOf(tx, identityId, providerSession)).map(({ id }) => id).filter((id) => id !== kept)
  for (const id of ids) {
    // The sign-in first: this waits for a concurrent exchange of a code, whose session is then ended below.
    await endSignIn(tx, id, now)
    await endSessionsOfSignIn(tx, id, now)
  }
  return ids
}
