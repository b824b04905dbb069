import { createHmac, randomBytes } from 'node:crypto'

const prefix = 'whsec_'
export const shownPrefix = prefix.length + 4

/** A new secret, in the form of Standard Webhooks. */
export const createSecret = (): string => `${prefix}${randomBytes(32).toString('base64')}`

/** The value of `webhook-signature`: one signature for each secret, HMAC-SHA-256 of id, time and body. */
export const signDelivery = (secrets: readonly string[], id: string, at: number, body: string): string =>
  secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(prefix.length), 'base64')
      return `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`
    })
    .join(' ')
