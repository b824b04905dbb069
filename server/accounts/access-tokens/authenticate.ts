import type { FindTokenUser } from '../../core/http/actors'
import { lifetimes } from '../../core/lifetimes'
import { isAllowedAddress } from './allowed-addresses'
import { findAccessToken, updateTokenUse } from './repository'
import { stateOf } from './to-json'

/** The maker of an access token, looked up at each request. What they may still do is decided by `resolveScope`. */
export const findTokenUser: FindTokenUser = async ({ db, clock }, tokenHash, ip) => {
  const found = await findAccessToken(db, { tokenHash })
  if (!found) return null
  const { token, maker, project } = found
  const user = {
    kind: 'user' as const,
    id: maker.id,
    email: maker.email,
    name: maker.fullName,
    plan: maker.pricingPlan,
    secondFactor: maker.mfaEnabled,
    credential: {
      kind: 'access_token' as const,
      id: token.id,
      name: token.name,
      projectId: token.projectId,
      permissions: token.permissions,
      auditChainId: project.organizationId ?? project.ownerId ?? '',
    },
  }
  const now = clock()
  const state = stateOf(token, now)
  if (state === 'revoked' || state === 'expired') return { denied: state, user }
  if (!isAllowedAddress(token.allowedAddresses, ip)) return { denied: 'address', user }
  const idleS = token.lastUsedAt ? (now.getTime() - token.lastUsedAt.getTime()) / 1000 : Infinity
  if (idleS >= lifetimes.sessionTouchS || token.lastUsedIp !== ip)
    await updateTokenUse(db, token.id, { lastUsedAt: now, lastUsedIp: ip.slice(0, 64) })
  return user
}
