import { and, eq, inArray, notInArray, sql } from 'drizzle-orm'
import type { FastifyReply } from 'fastify'
import { endStates } from '../../contract/device/update-events'
import { rolloutDevices, rollouts } from '../updates/schema/rollouts'
import type { Tx } from '../core/database/tx'
import type { Deps } from '../core/deps'
import { retryTransaction } from '../core/http/database-errors'
import { offerFor } from '../updates/rollouts/offer'
import { getProjectSettings } from '../accounts/projects/plan-and-settings'
import { lockDevice } from '../fleet/devices/lock-device'

/** Whether a request for an update is worthwhile: a hint in the check-in. The actual decision is made at the request. */
export const updateAvailable = async (tx: Tx, deviceId: string): Promise<boolean> => {
  const [open] = await tx
    .select({ one: sql`1` })
    .from(rolloutDevices)
    .innerJoin(rollouts, eq(rollouts.id, rolloutDevices.rolloutId))
    .where(
      and(
        eq(rolloutDevices.deviceId, deviceId),
        notInArray(rolloutDevices.state, [...endStates]),
        inArray(rollouts.phase, ['filling', 'soaking']),
      ),
    )
    .limit(1)
  return open !== undefined
}

/** Answers with the signed envelope, or 204 with the reason why there is none. Reserves a slot of the rollout. */
export const offerUpdate = async ({ db }: Deps, deviceId: string, now: Date, reply: FastifyReply): Promise<unknown> => {
  const { offer, pollS } = await retryTransaction(() =>
    db.transaction(async (tx) => {
      const device = await lockDevice(tx, deviceId)
      const { polling_interval_s } = await getProjectSettings(tx, device.projectId)
      return { offer: await offerFor(tx, device, now), pollS: device.pollingIntervalS ?? polling_interval_s }
    }),
  )
  reply.header('X-Poll-Interval', pollS)
  if ('reason' in offer) return void reply.code(204).header('X-Reason', offer.reason)
  reply.header('X-Rollout-Id', offer.rolloutId).type('application/json; charset=utf-8')
  return offer.envelope
}
