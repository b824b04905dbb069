import { pathOf } from '../../../../contract/core/endpoint'
import { downloadAsset } from '../../../../contract/updates/release-assets'
import type { Tx } from '../../../core/database/tx'
import { isSignedLink, signLink } from '../../../core/http/signed-link'

export type Link = { path: string; expiresAt: Date }

const subjectOf = (assetId: string) => `download ${assetId}`

/** A URL for one asset, valid for a limited time, without a session. */
export const linkTo = async (tx: Tx, assetId: string, now: Date): Promise<Link> => {
  const { query, expiresAt } = await signLink(tx, subjectOf(assetId), now)
  return { path: `${pathOf(downloadAsset.path, { assetId })}${query}`, expiresAt }
}

export const isLink = (tx: Tx, assetId: string, query: { exp: string; sig: string }, now: Date): Promise<boolean> =>
  isSignedLink(tx, subjectOf(assetId), query, now)
