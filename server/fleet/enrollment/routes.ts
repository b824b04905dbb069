import { lifetimes } from '../../core/lifetimes'
import * as contract from '../../../contract/fleet/enrollment-tokens'
import type { Tx } from '../../core/database/tx'
import type { Api } from '../../core/http/api'
import { notFound, refuseField } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { daysAfter } from '../../core/days'
import { requireKnownModel } from '../devices/models'
import { requireKnownTags } from '../tags/known-tags'
import { createAuthority, createEnrollmentToken } from './create-token'
import {
  type EnrollmentTokenRow,
  findEnrollmentTokenById,
  listEnrollmentTokens,
  lockEnrollmentToken,
  updateEnrollmentToken,
} from './repository'
import { enrollmentTokenToJson } from './to-json'

const checkExpiry = (expiresAt: string | null | undefined, now: Date) => {
  if (!expiresAt) return
  const moment = new Date(expiresAt)
  if (moment <= now || moment > daysAfter(now, lifetimes.enrollmentTokenMaxDays))
    refuseField('expires_at', 'range', 'Choose a time in the next year')
}

const target = ({ id, name }: { id: string; name: string }) => ({ kind: 'enrollment_token', id, name })

/** The devices that authenticate with a token or an authority, by name: how many, and the first ones. */
type ListDevicesOfToken = (
  tx: Tx,
  token: EnrollmentTokenRow,
  most: number,
  now: Date,
) => Promise<{ total: number; devices: { id: string; name: string }[] }>

export const enrollmentRoutes = (api: Api, { listDevicesOfToken }: { listDevicesOfToken: ListDevicesOfToken }): void => {
  route(api, contract.enrollmentTokens, async ({ tx, project, query, now }) => {
    const { rows, next_cursor, total } = await listEnrollmentTokens(tx, project.id, query)
    return { enrollment_tokens: rows.map((row) => enrollmentTokenToJson(row, now)), next_cursor, total }
  })

  route(api, contract.createEnrollmentToken, async ({ tx, project, body, now, audit }) => {
    checkExpiry(body.expires_at, now)
    if (body.hardware_model) requireKnownModel(project.settings, body.hardware_model)
    if (body.default_tags) await requireKnownTags(tx, project.id, body.default_tags, 'default_tags')
    const { row, token } = await createEnrollmentToken({ tx, project, now }, body)
    audit({ target: target(row) })
    return { ...enrollmentTokenToJson(row, now), token }
  })

  route(api, contract.createAuthority, async ({ tx, project, body, now, audit }) => {
    requireKnownModel(project.settings, body.hardware_model)
    if (body.default_tags) await requireKnownTags(tx, project.id, body.default_tags, 'default_tags')
    const row = await createAuthority({ tx, project, now }, body)
    audit({ target: target(row) })
    return enrollmentTokenToJson(row, now)
  })

  route(api, contract.previewTokenRevocation, async ({ tx, params, now }) => {
    const row = (await findEnrollmentTokenById(tx, params.enrollmentTokenId)) ?? notFound()
    return listDevicesOfToken(tx, row, contract.maxRefusedDevices, now)
  })

  route(api, contract.revokeEnrollmentToken, async ({ tx, params, now, audit, skipAudit }) => {
    const row = await lockEnrollmentToken(tx, params.enrollmentTokenId)
    if (!row) return notFound()
    if (row.revokedAt !== null) return skipAudit()
    await updateEnrollmentToken(tx, row.id, { revokedAt: now }, now)
    audit({ target: target(row) })
  })
}
