import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Tx } from '../../core/database/tx'
import { secretOf } from '../../core/tokens/secrets'

/** Whose mails about which project end. `version`: that of the person's setting, so that a new choice ends earlier links. */
export type Unsubscribing = { userId: string; projectId: string; version: number }

const form = /^([0-9A-Z]{26})([0-9A-Z]{26})(\d{1,9})\.([\w-]{43})$/

const sign = async (tx: Tx, { userId, projectId, version }: Unsubscribing): Promise<Buffer> =>
  createHmac('sha256', await secretOf(tx, 'unsubscribe'))
    .update(`${userId} ${projectId} ${version}`)
    .digest()

/** The token of a link that works without a session. */
export const signUnsubscribing = async (tx: Tx, asked: Unsubscribing): Promise<string> =>
  `${asked.userId}${asked.projectId}${asked.version}.${(await sign(tx, asked)).toString('base64url')}`

/** Undefined for a token that this server has not made. */
export const readUnsubscribing = async (tx: Tx, token: string): Promise<Unsubscribing | undefined> => {
  const [, userId = '', projectId = '', digits = '', signature = ''] = form.exec(token) ?? []
  if (signature === '') return undefined
  const asked = { userId, projectId, version: Number(digits) }
  const given = Buffer.from(signature, 'base64url')
  const right = await sign(tx, asked)
  return given.length === right.length && timingSafeEqual(given, right) ? asked : undefined
}
