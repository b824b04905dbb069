import { and, asc, eq } from 'drizzle-orm'
import { interstitials as list, recordInterstitial } from '../../../../contract/interstitials'
import { interstitials } from '../../schema/people'
import type { Api } from '../../../core/http/api'
import { notFound } from '../../../core/http/refuse'
import { route } from '../../../core/http/route'
import { formatTimestamp } from '../../../core/timestamps'

const interstitialToJson = (row: typeof interstitials.$inferSelect) => ({
  interstitial_id: row.interstitialId,
  seen_at: formatTimestamp(row.seenAt),
})

export const interstitialRoutes = (api: Api): void => {
  route(api, list, async ({ tx, user }) => {
    const seen = await tx
      .select()
      .from(interstitials)
      .where(eq(interstitials.userId, user.id))
      .orderBy(asc(interstitials.seenAt), asc(interstitials.interstitialId))
    return { interstitials: seen.map(interstitialToJson) }
  })

  route(api, recordInterstitial, async ({ tx, user, params, now, reply }) => {
    const { interstitialId } = params
    const key = { userId: user.id, interstitialId }
    const [first] = await tx
      .insert(interstitials)
      .values({ ...key, seenAt: now })
      .onConflictDoNothing()
      .returning()
    if (first) return interstitialToJson(first)
    reply.code(200)
    const [before] = await tx
      .select()
      .from(interstitials)
      .where(and(eq(interstitials.userId, user.id), eq(interstitials.interstitialId, interstitialId)))
    return before ? interstitialToJson(before) : notFound()
  })
}
