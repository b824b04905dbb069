import type { FastifyReply } from 'fastify'
import type { Deps } from '../core/deps'
import type { DeviceActor } from '../core/http/actors'
import { transact } from '../core/http/database-errors'
import { offerFor } from '../updates/rollouts/offer/offer'
import { lockCallingDevice } from '../fleet/devices/repository'

/** Answers with the signed envelope, or 204 with the reason why there is none. Reserves a slot of the rollout. */
export const offerUpdate = async (
  { db, metrics }: Deps,
  { id, settings }: DeviceActor,
  now: Date,
  reply: FastifyReply,
): Promise<unknown> => {
  const { offer, pollS } = await transact(db, async (tx) => {
    const device = await lockCallingDevice(tx, id)
    return { offer: await offerFor(tx, device, now), pollS: device.pollingIntervalS ?? settings.polling_interval_s }
  })
  reply.header('X-Poll-Interval', pollS)
  if ('reason' in offer) return void reply.code(204).header('X-Reason', offer.reason)
  if (offer.isNew) metrics?.countOffer('agent')
  reply.header('X-Rollout-Id', offer.rolloutId).type('application/json; charset=utf-8')
  return offer.envelope
}
