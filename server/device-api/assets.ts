import { and, eq, notInArray, sql } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { assets, releases } from '../database/schema/releases'
import { rolloutDevices, rollouts } from '../database/schema/rollouts'
import type { Tx } from '../database/tx'
import type { Deps } from '../deps'
import type { DeviceActor } from '../http/actors'
import { notFound, refuse } from '../http/refuse'
import { rangeOf } from './range'

/** Whether the device has been offered the release: before that, it does not know the asset's name. */
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
  const { storageKey, sha256, size } = asset
  return storageKey === null || sha256 === null ? notFound() : { id: asset.id, storageKey, sha256, size }
}

/** The bytes of one file of an offered release, from where the device has got to. */
export const sendAsset = async (
  { db, storage }: Deps,
  device: DeviceActor,
  assetId: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> => {
  const { id, storageKey, sha256, size } = await assetFor(db, device, assetId)
  const etag = `"sha256-${sha256}"`
  reply.headers({ ETag: etag, 'Accept-Ranges': 'bytes', 'Cache-Control': 'private, immutable, max-age=31536000' })
  // F-10: a part of another file would be worse than the whole of this one.
  const stale = request.headers['if-range'] !== undefined && request.headers['if-range'] !== etag
  const range = stale ? undefined : rangeOf(request.headers.range, size)
  if (range === null)
    return refuse(416, 'range_not_satisfiable', {
      message: 'The file is shorter',
      headers: { 'Content-Range': `bytes */${size}` },
    })
  const { start, end } = range ?? { start: 0, end: size - 1 }
  if (range) reply.code(206).header('Content-Range', `bytes ${start}-${end}/${size}`)
  if (start === 0)
    await db
      .update(assets)
      .set({ downloadCount: sql`${assets.downloadCount} + 1` })
      .where(eq(assets.id, id))
  reply.type('application/octet-stream').header('Content-Length', end - start + 1)
  return storage.read(storageKey, range)
}
