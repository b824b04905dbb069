import { findUserByEmail } from '../accounts/users/repository'
import type { Deps } from '../core/deps'
import { findOpenMailedInvite } from '../accounts/invites/answer'
import type { AuthorizationRequest } from './authorization'

/** A visitor who opened an invite by the link in its mail, and so has shown that the address is theirs. */
export type InvitedVisitor = { email: string; hasAccount: boolean }

/**
 * Undefined for all other visitors, also those with a shared link of the same invite: they must learn neither the address nor
 * whether it has an account (T-13).
 */
export const findInvitedVisitor = async (
  { db, clock }: Deps,
  request: AuthorizationRequest | undefined,
): Promise<InvitedVisitor | undefined> => {
  if (!request || !('invite' in request) || request.mail === undefined) return undefined
  const found = await findOpenMailedInvite(db, request.invite, request.mail, clock())
  if (!found) return undefined
  const { email } = found.invite
  return { email, hasAccount: (await findUserByEmail(db, email)) !== undefined }
}
