import * as contract from '../../../contract/accounts/access-tokens'
import { allows, type Grants, type Permission } from '../../../contract/core/permissions'
import type { Api } from '../../core/http/api'
import { newRow } from '../../core/database/row'
import { daysAfter } from '../../core/days'
import { notFound, refuse, refuseField } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { createToken, hashOf, prefixOf } from '../../core/tokens/token'
import { findMakers } from './makers.repository'
import {
  type AccessTokenRow,
  findAccessToken,
  insertAccessToken,
  listAccessTokens,
  lockAccessToken,
  updateAccessToken,
} from './repository'
import { accessTokenToJson, stateOf } from './to-json'

const target = ({ id, name }: { id: string; name: string }) => ({ kind: 'access_token', id, name })

const requireHeld = (grants: Grants, permissions: readonly Permission[]) => {
  const lacking = permissions.filter((permission) => !allows(grants, [permission]))
  if (lacking.length > 0) refuseField('permissions', 'not_held', `You do not have ${lacking.join(', ')} in this project`)
}

type Facts = Pick<AccessTokenRow, 'projectId' | 'makerId' | 'name' | 'permissions' | 'lifetimeDays' | 'allowedAddresses'>

/** Only this result contains the secret of the token. */
const createRow = (facts: Facts, now: Date, rotatedFrom: string | null = null) => {
  const token = createToken('pat')
  const { lifetimeDays } = facts
  const secret = { tokenHash: hashOf(token), prefix: prefixOf(token) }
  const expiresAt = lifetimeDays === null ? null : daysAfter(now, lifetimeDays)
  const never = { lastUsedAt: null, lastUsedIp: null, replacedAt: null, revokedAt: null }
  return { row: { ...newRow(now), ...facts, ...secret, ...never, expiresAt, rotatedFrom }, token }
}

const earlier = (one: Date | null, other: Date) => (one !== null && one < other ? one : other)

export const accessTokenRoutes = (api: Api): void => {
  route(api, contract.accessTokens, async ({ tx, project, query, now }) => {
    const { rows, next_cursor, total } = await listAccessTokens(tx, project.id, query)
    const ids = rows.map(({ makerId }) => makerId)
    const makers = await findMakers(tx, project, ids)
    return { access_tokens: rows.map((row) => accessTokenToJson(row, makers.get(row.makerId), now)), next_cursor, total }
  })

  route(api, contract.createAccessToken, async ({ tx, project, user, grants, body, now, audit }) => {
    requireHeld(grants, body.permissions)
    const { lifetime_days: lifetimeDays, allowed_addresses: allowedAddresses = [] } = body
    if (lifetimeDays === null && project.plan !== 'production')
      refuseField('lifetime_days', 'plan_limit', 'Tokens without an end need the production plan: choose a lifetime')
    const permissions = [...new Set(body.permissions)]
    const facts = { projectId: project.id, makerId: user.id, name: body.name, permissions, lifetimeDays, allowedAddresses }
    const { row, token } = createRow(facts, now)
    await insertAccessToken(tx, row)
    audit({ target: target(row) })
    return { ...accessTokenToJson(row, { id: user.id, name: user.name, grants }, now), token }
  })

  route(api, contract.rotateAccessToken, async ({ tx, project, params, user, grants, body, now, audit }) => {
    const old = await lockAccessToken(tx, params.accessTokenId)
    if (!old) return notFound()
    const state = stateOf(old, now)
    if (state === 'revoked' || old.replacedAt !== null)
      refuse(409, 'conflict', { message: old.replacedAt ? 'This token was replaced already' : 'This token was revoked' })
    // The secret goes to the person who rotates it: they may not gain by it what they may not do.
    requireHeld(grants, old.permissions)
    // The plan may be a lower one than when the token was created. The old token keeps working.
    if (old.lifetimeDays === null && project.plan !== 'production')
      refuse(402, 'plan_limit', {
        message: 'Tokens without an end need the production plan. Create one with a lifetime and revoke this one',
        requiredPlan: 'production',
      })
    const ends = new Date(now.getTime() + body.overlap_s * 1000)
    await updateAccessToken(tx, old.id, { replacedAt: now, expiresAt: earlier(old.expiresAt, ends) }, now)
    const { projectId, name, permissions, lifetimeDays, allowedAddresses } = old
    const facts = { projectId, makerId: user.id, name, permissions, lifetimeDays, allowedAddresses }
    const { row, token } = createRow(facts, now, old.id)
    await insertAccessToken(tx, row)
    audit({ target: target(row) })
    const maker = (await findMakers(tx, project, [user.id])).get(user.id)
    return { ...accessTokenToJson(row, maker, now), token }
  })

  route(api, contract.revokeAccessToken, async ({ tx, params, now, audit, skipAudit }) => {
    const row = await lockAccessToken(tx, params.accessTokenId)
    if (!row) return notFound()
    if (row.revokedAt !== null) return skipAudit()
    await updateAccessToken(tx, row.id, { revokedAt: now }, now)
    audit({ target: target(row) })
  })

  route(api, contract.currentAccessToken, async ({ tx, user, now }) => {
    const { credential } = user
    const found = credential.kind === 'access_token' ? await findAccessToken(tx, { id: credential.id }) : undefined
    if (!found) return refuse(401, 'unauthenticated')
    const { token, project, organization } = found
    const makers = await findMakers(tx, project, [user.id])
    return {
      access_token: accessTokenToJson(token, makers.get(user.id), now),
      project: {
        id: project.id,
        name: project.name,
        organization: organization && { public_id: organization.publicId, name: organization.name },
      },
    }
  })
}
