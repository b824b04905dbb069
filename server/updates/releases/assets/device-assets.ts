import { and, eq, notInArray, sql } from 'drizzle-orm'
import { rangeOf } from '../../../core/http/range'
import { assetBytes, type Exchange } from './send'
import { assets, releases } from '../../schema/releases'
import { rolloutDevices, rollouts } from '../../schema/rollouts'
import type { Tx } from '../../../core/database/tx'
import type { DeviceActor } from '../../../core/http/actors'
import { notFound, refuse } from '../../../core/http/refuse'

/** Whether the device has been offered the release: before that, it does not know the asset's id. */
const isOffered = async (tx: Tx, deviceId: string, releaseId: string): Promise<boolean> => {
  const [found] = await tx
    .select({ one: sql`1` })
    .from(rolloutDevices)
    .innerJoin(rollouts, eq(rollouts.id, rolloutDevices.rolloutId))
    .where(
      and(
        eq(rolloutDevices.deviceId, deviceId),
        eq(rollouts.releaseId, releaseId),
        notInArray(rolloutDevices.state, ['queued', 'held', 'skipped']),
      ),
    )
    .limit(1)
  return found !== undefined
}

const assetFor = async (tx: Tx, { id, projectId }: DeviceActor, assetId: string) => {
  const [found] = await tx
    .select({ asset: assets, state: releases.state })
    .from(assets)
    .innerJoin(releases, eq(releases.id, assets.releaseId))
    .where(and(eq(assets.id, assetId), eq(assets.projectId, projectId)))
  if (!found || !(await isOffered(tx, id, found.asset.releaseId))) return notFound()
  const { asset, state } = found
  if (state === 'revoked') return refuse(410, 'revoked', { message: 'The release was revoked' })
  return asset.storageKey === null || asset.sha256 === null ? notFound() : asset
}

/** Sends one file of an offered release, from the requested offset. */
export const sendAsset = async (exchange: Exchange, device: DeviceActor, assetId: string): Promise<unknown> => {
  const { deps, request, reply } = exchange
  const asset = await assetFor(deps.db, device, assetId)
  const bytes = await assetBytes(exchange, asset)
  const part = reply.statusCode === 206 ? rangeOf(request.headers.range, asset.size) : null
  // A resumed download is the same download.
  if (part === null || (part !== 'unsatisfiable' && part.start === 0))
    await deps.db
      .update(assets)
      .set({ downloadCount: sql`${assets.downloadCount} + 1` })
      .where(eq(assets.id, asset.id))
  return bytes
}
