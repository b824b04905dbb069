import { assetBytes, beginsDownload, type Exchange } from './send'
import { countDownload, findAssetOfProject, isOffered } from './repository'
import type { Tx } from '../../../core/database/tx'
import type { DeviceActor } from '../../../core/http/actors'
import { notFound, refuse } from '../../../core/http/refuse'

const assetFor = async (tx: Tx, { id, projectId }: DeviceActor, assetId: string) => {
  const found = await findAssetOfProject(tx, projectId, assetId)
  if (!found || !(await isOffered(tx, id, found.asset.releaseId))) return notFound()
  const { asset, state } = found
  if (state === 'revoked') return refuse(410, 'revoked', { message: 'The release was revoked' })
  return asset.storageKey === null || asset.sha256 === null ? notFound() : asset
}

/** Sends one file of an offered release, from the requested offset. */
export const sendAsset = async (exchange: Exchange, device: DeviceActor, assetId: string): Promise<unknown> => {
  const { deps, request } = exchange
  const asset = await assetFor(deps.db, device, assetId)
  const bytes = await assetBytes(exchange, asset)
  if (beginsDownload(request, asset)) await countDownload(deps.db, asset.id)
  return bytes
}
