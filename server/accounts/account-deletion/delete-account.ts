import type { deleteAccount } from '../../../contract/accounts/account-deletion'
import { product } from '../../../contract/core/limits'
import { deletedUserName } from '../../../contract/core/shapes'
import { append } from '../../core/audit/chain'
import type { Tx } from '../../core/database/tx'
import type { Deps } from '../../core/deps'
import { announceChange } from '../../core/events/changes'
import type { Call } from '../../core/http/call'
import { refuse } from '../../core/http/refuse'
import { queueMail } from '../../core/mail/queue-mail'
import { setPlan } from '../billing/billing-account'
import { withdrawEmailChange } from '../credentials/withdraw-email-change'
import { withdrawResets } from '../credentials/withdraw-resets'
import { lockMembers } from '../members/repository'
import { notifyOwners } from '../notifications/owners'
import type { UserRow } from '../users/repository'
import { listObstacles } from './obstacles'
import {
  countWorkingTokens,
  deleteAnsweredInvites,
  deleteUser,
  handOverCreated,
  listOpenSubscriptions,
  listOwnMemberships,
  listTouchedOrganizations,
  lockUserForDeletion,
} from './repository'

/** What the domains above do with what a person has made. */
export type OfPeople = {
  /** Writes another name on what the person made, and gives what others use to somebody else. */
  forgetAuthor: readonly ((tx: Tx, userId: string, name: string) => Promise<void>)[]
  /** Ends the person's uploads; call the returned function after the commit to remove their bytes. */
  endUploads: (tx: Tx, deps: Deps, userId: string) => Promise<() => unknown>
}

type Deleting = Call<typeof deleteAccount>

/** Locks the organizations and then the person, as others who change members do. */
export const lockAll = async (tx: Tx, userId: string): Promise<UserRow> => {
  const locked = new Set<string>()
  const lockMore = async () => {
    for (const id of await listTouchedOrganizations(tx, userId)) {
      if (!locked.has(id)) await lockMembers(tx, id)
      locked.add(id)
    }
  }
  await lockMore()
  const user = (await lockUserForDeletion(tx, userId)) ?? refuse(401, 'unauthenticated')
  // The person may have joined others meanwhile; from here on they cannot.
  await lockMore()
  return user
}

export const requireNoObstacles = async (tx: Tx, userId: string): Promise<void> => {
  const obstacles = await listObstacles(tx, userId)
  if (obstacles.length === 0) return
  const names = obstacles.map(({ name }) => name).join(', ')
  refuse(409, 'account_in_use', { message: `Hand over, delete or cancel first: ${names}`, about: { obstacles } })
}

/** Tells each organization: an entry in its audit log without the name, and a notification for its owners. */
const tellOrganizations = async ({ tx, user, request, now }: Deleting): Promise<void> => {
  const tokens = new Map((await countWorkingTokens(tx, user.id, now)).map(({ organizationId, n }) => [organizationId, n]))
  for (const { id, name, role } of await listOwnMemberships(tx, user.id)) {
    const ended = tokens.get(id) ?? 0
    await append(tx, {
      chainId: id,
      occurredAt: now,
      action: 'member.account_delete',
      result: 'success',
      actor: { kind: 'user', id: user.id, name: deletedUserName, email: null },
      credential: { kind: 'session', id: null },
      sourceIp: null,
      userAgent: null,
      requestId: request.id,
      projectId: null,
      target: { kind: 'member', id: user.id, name: deletedUserName },
      changes: [
        { field: 'base_role', before: role, after: null },
        ...(ended > 0 ? [{ field: 'access_tokens', before: ended, after: 0 }] : []),
      ],
      reason: null,
    })
    const data = { by: user.name || user.email, organization: name, tokens: ended }
    const about = { exceptId: user.id, topic: `account ${user.id}`, now }
    await notifyOwners(tx, id, { kind: 'member.account_deleted', data, ...about })
  }
}

const farewell = (to: string) => ({
  limited: false,
  to,
  subject: `${product.name}: your account was deleted`,
  text: `Your account was deleted, with its sessions and access tokens. This is the last mail about it. With this address you can sign up again; the new account starts empty.\n\nIf it was not you, tell an owner of your organizations: the account cannot be restored.\n`,
})

/** Deletes the account in the transaction of the call, after everything was locked and nothing stands in the way. */
export const deleteOwnAccount = async (call: Deleting, row: UserRow, { forgetAuthor, endUploads }: OfPeople): Promise<void> => {
  const { tx, deps, user, now, audit, afterCommit } = call
  afterCommit(await endUploads(tx, deps, user.id))
  await tellOrganizations(call)
  // What the person had paid for ends with the account: nobody could tell later that it ended.
  if ((await listOpenSubscriptions(tx, user.id)).length > 0)
    await setPlan(tx, { kind: 'user', id: user.id, publicId: null, name: row.email, plan: row.pricingPlan }, 'developer', now)
  await handOverCreated(tx, user.id, now)
  for (const forget of forgetAuthor) await forget(tx, user.id, deletedUserName)
  await withdrawResets(tx, user.id)
  await withdrawEmailChange(tx, user.id)
  await deleteAnsweredInvites(tx, row.email)
  await deleteUser(tx, user.id)
  audit({
    target: { kind: 'user', id: user.id, name: deletedUserName },
    by: { id: user.id, fullName: deletedUserName, email: null },
  })
  afterCommit(await queueMail(tx, deps, farewell(row.email)))
  // Streams that are open read the right of their caller again, and end.
  await announceChange(tx, user.id)
}
