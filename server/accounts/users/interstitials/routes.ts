import { interstitialIds, interstitials as list, recordInterstitial } from '../../../../contract/accounts/interstitials'
import type { Api } from '../../../core/http/api'
import { notFound } from '../../../core/http/refuse'
import { route } from '../../../core/http/route'
import { formatTimestamp } from '../../../core/timestamps'
import { findInterstitial, insertInterstitial, type InterstitialRow, listInterstitials } from './repository'

const interstitialToJson = (row: InterstitialRow) => ({
  interstitial_id: row.interstitialId,
  seen_at: formatTimestamp(row.seenAt),
})

export const interstitialRoutes = (api: Api): void => {
  route(api, list, async ({ tx, user }) => ({
    interstitials: (await listInterstitials(tx, user.id)).map(interstitialToJson),
  }))

  route(api, recordInterstitial, async ({ tx, user, params, now, reply }) => {
    if (!interstitialIds.includes(params.interstitialId)) return notFound()
    const key = { userId: user.id, interstitialId: params.interstitialId }
    const first = await insertInterstitial(tx, { ...key, seenAt: now })
    if (first) return interstitialToJson(first)
    reply.code(200)
    const before = await findInterstitial(tx, key)
    return before ? interstitialToJson(before) : notFound()
  })
}
