import { count, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Tx } from '../../core/database/tx'
import { secondFactors } from '../schema/people'
import { webhooks } from '../schema/webhooks'

const keyNameOf = (sealed: PgColumn) => sql<string>`split_part(${sealed}, '.', 1)`

/** How many secrets are encrypted, by the name of their key. */
export const listSealedSecrets = async (tx: Tx): Promise<{ kind: 'second_factors' | 'webhooks'; key: string; n: number }[]> => {
  const [ofFactor, ofWebhook] = [keyNameOf(secondFactors.sealedSecret), keyNameOf(webhooks.secret)]
  const factors = await tx.select({ key: ofFactor, n: count() }).from(secondFactors).groupBy(ofFactor)
  const hooks = await tx.select({ key: ofWebhook, n: count() }).from(webhooks).groupBy(ofWebhook)
  return [
    ...factors.map((row) => ({ kind: 'second_factors' as const, ...row })),
    ...hooks.map((row) => ({ kind: 'webhooks' as const, ...row })),
  ]
}
