import type { Tx } from '../../core/database/tx'
import type { FindTokenUser, User } from '../../core/http/actors'
import { lifetimes } from '../../core/lifetimes'
import { findUser, type UserRow } from '../users/repository'
import { isAllowedAddress } from './allowed-addresses'
import { findAccessToken, updateTokenUse } from './repository'
import { stateOf } from './to-json'

type Found = NonNullable<Awaited<ReturnType<typeof findAccessToken>>>

const toUser = ({ id, email, fullName, pricingPlan, mfaEnabled }: UserRow) => ({
  kind: 'user' as const,
  id,
  email,
  name: fullName,
  plan: pricingPlan,
  secondFactor: mfaEnabled,
})

const userOf = ({ token, maker, project }: Found) => ({
  ...toUser(maker),
  credential: {
    kind: 'access_token' as const,
    id: token.id,
    name: token.name,
    projectId: token.projectId,
    permissions: token.permissions,
    auditChainId: project.organizationId ?? project.ownerId ?? '',
  },
})

/**
 * The person for whom work goes on after their request; null if their account, or the access token that they used, has ended. A
 * session may end meanwhile: who signs out does not take back what they asked for.
 */
export const findActingUser = async (
  tx: Tx,
  { id, credential }: { id: string; credential: { kind: 'session' | 'access_token'; id: string } },
  now: Date,
): Promise<User | null> => {
  if (credential.kind === 'session') {
    const row = await findUser(tx, id)
    return row ? { ...toUser(row), credential: { kind: 'session', id: credential.id, signInId: null } } : null
  }
  const found = await findAccessToken(tx, { id: credential.id })
  const state = found && stateOf(found.token, now)
  return found && state !== 'revoked' && state !== 'expired' ? userOf(found) : null
}

/** The maker of an access token, looked up at each request. What they may still do is decided by `resolveScope`. */
export const findTokenUser: FindTokenUser = async ({ db, clock }, tokenHash, ip) => {
  const found = await findAccessToken(db, { tokenHash })
  if (!found) return null
  const { token } = found
  const user = userOf(found)
  const now = clock()
  const state = stateOf(token, now)
  if (state === 'revoked' || state === 'expired') return { denied: state, user }
  if (!isAllowedAddress(token.allowedAddresses, ip)) return { denied: 'address', user }
  const idleS = token.lastUsedAt ? (now.getTime() - token.lastUsedAt.getTime()) / 1000 : Infinity
  if (idleS >= lifetimes.sessionTouchS || token.lastUsedIp !== ip)
    await updateTokenUse(db, token.id, { lastUsedAt: now, lastUsedIp: ip.slice(0, 64) })
  return user
}
