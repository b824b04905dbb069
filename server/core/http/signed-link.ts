import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Tx } from '../database/tx'
import { lifetimes } from '../lifetimes'
import { secretOf } from '../tokens/secrets'

const sign = (secret: Buffer, subject: string, exp: string) => createHmac('sha256', secret).update(`${subject} ${exp}`).digest()

/** The query of a URL for one subject, such as `download <id>`, that is valid for a limited time without a session. */
export const signLink = async (tx: Tx, subject: string, now: Date): Promise<{ query: string; expiresAt: Date }> => {
  const expiresAt = new Date((Math.floor(now.getTime() / 1000) + lifetimes.assetLinkS) * 1000)
  const exp = String(expiresAt.getTime() / 1000)
  const sig = sign(await secretOf(tx, 'links'), subject, exp).toString('base64url')
  return { query: `?exp=${exp}&sig=${sig}`, expiresAt }
}

export const isSignedLink = async (
  tx: Tx,
  subject: string,
  { exp, sig }: { exp: string; sig: string },
  now: Date,
): Promise<boolean> => {
  if (Number(exp) * 1000 <= now.getTime()) return false
  const given = Buffer.from(sig, 'base64url')
  const right = sign(await secretOf(tx, 'links'), subject, exp)
  return given.length === right.length && timingSafeEqual(given, right)
}
