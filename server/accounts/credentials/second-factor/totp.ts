import { Secret, TOTP } from 'otpauth'
import { product } from '../../../../contract/limits'

const periodS = 30
/** One step to either side: clocks of phones are a few seconds off. */
const drift = 1

const totpOf = (secret: string, label: string) =>
  new TOTP({ issuer: product.name, label, secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: periodS })

/** 160 random bits in base 32, as RFC 4226 asks for. */
export const createFactorSecret = (): string => new Secret({ size: 20 }).base32

/** What an app reads from the picture (the Key URI format; SHA-1 and six digits are what all of them know). */
export const otpauthUrl = (secret: string, email: string): string => totpOf(secret, email).toString()

/** The time step that a code belongs to, or undefined where it is none of those around `now`. */
export const stepOf = (secret: string, code: string, now: Date): number | undefined => {
  const delta = totpOf(secret, '').validate({ token: code, timestamp: now.getTime(), window: drift })
  return delta === null ? undefined : Math.floor(now.getTime() / 1000 / periodS) + delta
}
