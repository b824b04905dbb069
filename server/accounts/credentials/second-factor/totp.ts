import { Secret, TOTP } from 'otpauth'
import { product } from '../../../../contract/core/limits'

const periodS = 30
/** One step to either side: clocks of phones are a few seconds off. */
const drift = 1

const totpOf = (secret: string, label: string) =>
  new TOTP({ issuer: product.name, label, secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: periodS })

/** 160 random bits in base 32, as RFC 4226 asks for. */
export const createFactorSecret = (): string => new Secret({ size: 20 }).base32

/** The URL in the QR code (Key URI format; SHA-1 and six digits are what all apps support). */
export const otpauthUrl = (secret: string, email: string): string => totpOf(secret, email).toString()

/** The time step of a code, or undefined if it matches none of the steps around `now`. */
export const stepOf = (secret: string, code: string, now: Date): number | undefined => {
  const delta = totpOf(secret, '').validate({ token: code, timestamp: now.getTime(), window: drift })
  return delta === null ? undefined : Math.floor(now.getTime() / 1000 / periodS) + delta
}
