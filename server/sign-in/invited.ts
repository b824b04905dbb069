import { findUserByEmail } from '../accounts/users/repository'
import type { Deps } from '../core/deps'
import { mailedInvite } from '../accounts/invites/answer'
import type { AuthorizationRequest } from './authorization'

/** The person who opened the mailed link of an invite. Nobody else learns the address, or whether it has an account (T-13). */
export type Invited = { email: string; known: boolean }

/** Undefined for all other visitors, also those with a shared link. */
export const findInvited = async ({ db, clock }: Deps, asked: AuthorizationRequest | undefined): Promise<Invited | undefined> => {
  if (!asked || !('invite' in asked) || asked.mail === undefined) return undefined
  const found = await mailedInvite(db, asked.invite, asked.mail, clock())
  if (!found) return undefined
  const { email } = found.invite
  return { email, known: (await findUserByEmail(db, email)) !== undefined }
}
