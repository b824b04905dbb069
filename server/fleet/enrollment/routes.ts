import { and, eq, inArray } from 'drizzle-orm'
import * as contract from '../../../contract/access'
import { enrollmentTokens } from '../schema/devices'
import { tags } from '../schema/tags'
import type { Tx } from '../../core/database/tx'
import type { Api } from '../../core/http/api'
import { rowUpdate } from '../../core/database/row'
import { notFound, refuseField } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { daysAfter } from '../../core/days'
import { requireKnownModel } from '../devices/models'
import { getProjectSettings } from '../../accounts/projects/plan-and-settings'
import { insertToken, listTokens, enrollmentTokenToJson } from './repository'

const longestLife = 366

const checkExpiry = (expiresAt: string | null | undefined, now: Date) => {
  if (!expiresAt) return
  const moment = new Date(expiresAt)
  if (moment <= now || moment > daysAfter(now, longestLife)) refuseField('expires_at', 'range', 'Choose a time in the next year')
}

const checkTags = async (tx: Tx, projectId: string, names: readonly string[] = []) => {
  if (names.length === 0) return
  const known = await tx
    .select({ name: tags.name })
    .from(tags)
    .where(and(eq(tags.projectId, projectId), inArray(tags.name, [...names])))
  const unknown = names.find((name) => !known.some((tag) => tag.name === name))
  if (unknown !== undefined) refuseField('default_tags', 'unknown_tag', `The project has no tag ${unknown}`)
}

const target = ({ id, name }: { id: string; name: string }) => ({ kind: 'enrollment_token', id, name })

export const enrollmentRoutes = (api: Api): void => {
  api.places.set('enrollment_token', async (tx, id) => {
    const where = eq(enrollmentTokens.id, id)
    const [token] = await tx.select({ projectId: enrollmentTokens.projectId }).from(enrollmentTokens).where(where)
    return token
  })

  route(api, contract.enrollmentTokens, ({ tx, project, query, now }) => listTokens(tx, project.id, query, now))

  route(api, contract.createEnrollmentToken, async ({ tx, project, body, now, audit }) => {
    checkExpiry(body.expires_at, now)
    if (body.hardware_model) requireKnownModel(await getProjectSettings(tx, project.id), body.hardware_model)
    await checkTags(tx, project.id, body.default_tags)
    const { row, token } = await insertToken(tx, project.id, body, now)
    audit({ target: target(row) })
    return { ...enrollmentTokenToJson(row, now), token }
  })

  route(api, contract.revokeEnrollmentToken, async ({ tx, params, now, audit, skipAudit }) => {
    const where = eq(enrollmentTokens.id, params.enrollmentTokenId)
    const [row] = await tx.select().from(enrollmentTokens).where(where).for('update')
    if (!row) return notFound()
    if (row.revokedAt !== null) return skipAudit()
    await tx
      .update(enrollmentTokens)
      .set({ revokedAt: now, ...rowUpdate(now) })
      .where(where)
    audit({ target: target(row) })
  })
}
