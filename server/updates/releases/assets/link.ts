import { pathOf } from '../../../../contract/endpoint'
import { downloadAsset } from '../../../../contract/release-assets'
import { lifetimes } from '../../../core/lifetimes'
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Tx } from '../../../core/database/tx'
import { secretOf } from '../../../core/tokens/secrets'

const sign = (secret: Buffer, assetId: string, exp: string) =>
  createHmac('sha256', secret).update(`download ${assetId} ${exp}`).digest()

export type Link = { path: string; expiresAt: Date }

/** A URL for one asset, valid for a limited time, without a session. */
export const linkTo = async (tx: Tx, assetId: string, now: Date): Promise<Link> => {
  const expiresAt = new Date((Math.floor(now.getTime() / 1000) + lifetimes.assetLinkS) * 1000)
  const exp = String(expiresAt.getTime() / 1000)
  const sig = sign(await secretOf(tx, 'links'), assetId, exp).toString('base64url')
  return { path: `${pathOf(downloadAsset.path, { assetId })}?exp=${exp}&sig=${sig}`, expiresAt }
}

export const isLink = async (
  tx: Tx,
  assetId: string,
  { exp, sig }: { exp: string; sig: string },
  now: Date,
): Promise<boolean> => {
  if (Number(exp) * 1000 <= now.getTime()) return false
  const given = Buffer.from(sig, 'base64url')
  const right = sign(await secretOf(tx, 'links'), assetId, exp)
  return given.length === right.length && timingSafeEqual(given, right)
}
