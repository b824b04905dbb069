import { TOTP } from 'otpauth'
import { credentials } from '../../server/accounts/schema/people'
import { passwordsOf } from '../../server/core/passwords/passwords'
import type { TestApi } from './api'
import { password } from './sign-in'

/** Sets the password of the forms for a user who was created without one. */
export const givePassword = async ({ db, config, deps }: TestApi, { id: userId }: { id: string }): Promise<string> => {
  const passwordHash = await passwordsOf(config).hash(password)
  await db.insert(credentials).values({ userId, passwordHash, changedAt: deps.clock() })
  return password
}

/** The code of an authenticator app, so many steps of 30 seconds from now. */
export const codeAt = (secret: string, at: Date, steps = 0): string =>
  new TOTP({ secret }).generate({ timestamp: at.getTime() + steps * 30_000 })

export const appCode = ({ deps }: TestApi, secret: string, steps = 0): string => codeAt(secret, deps.clock(), steps)
