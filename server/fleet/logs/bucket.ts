/** T-19: log lines of one device. 50 a second continuously; a boot may send 500 at once. */
export const logBucket = { perSecond: 50, burst: 500, perDay: 200_000 } as const

export type Bucket = { tokens: number; refilledAt: Date }
export type TakenTokens = Bucket & { taken: number; nextAllowedMs: number }

const { perSecond, burst } = logBucket

/** Takes as many of `wanted` as the bucket holds. After a refusal the client waits until a tenth of the burst is available. */
export const takeTokens = ({ tokens, refilledAt }: Bucket, wanted: number, now: Date): TakenTokens => {
  const elapsedS = Math.max(0, now.getTime() - refilledAt.getTime()) / 1000
  const full = Math.min(burst, tokens + elapsedS * perSecond)
  const taken = Math.min(wanted, Math.floor(full))
  const left = full - taken
  const missing = taken < wanted ? Math.max(0, burst / 10 - left) : 0
  return { tokens: left, refilledAt: now, taken, nextAllowedMs: Math.ceil((missing / perSecond) * 1000) }
}
