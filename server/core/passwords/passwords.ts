import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import type { Config } from '../config'
import { refuse } from '../http/refuse'

const cost = { r: 8, p: 1, maxmem: 256 * 1024 ** 2 }
const LENGTH = 32

const derive = (password: string, salt: Buffer, N: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    // Different Unicode encodings of one letter are the same password.
    scrypt(password.normalize('NFC'), salt, LENGTH, { ...cost, N }, (error, key) => (error ? reject(error) : resolve(key)))
  })

/** Limits concurrent and queued calls and answers 429 to the rest: hashing must not be a way to stop the server (T-12). */
const gate = (atOnce: number, queue: number) => {
  let running = 0
  const waiting: (() => void)[] = []
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) {
      if (waiting.length >= queue) refuse(429, 'too_many_requests', { retryAfterS: 5 })
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}

const form = /^scrypt\$([\w-]{22})\$([\w-]{43})$/
// Used in place of a missing account's hash, so that the answer takes as long (T-13).
const nobody = `scrypt$${randomBytes(16).toString('base64url')}$${randomBytes(LENGTH).toString('base64url')}`

const createPasswords = ({ limits, passwordCost: N }: Config) => {
  const through = gate(limits.passwordHashes, limits.passwordQueue)
  return {
    hash: (password: string): Promise<string> =>
      through(async () => {
        const salt = randomBytes(16)
        return `scrypt$${salt.toString('base64url')}$${(await derive(password, salt, N)).toString('base64url')}`
      }),
    /** Whether a password matches a hash; false, after the same time, if there is no account. */
    matches: (password: string, stored: string | undefined): Promise<boolean> =>
      through(async () => {
        const [, salt = '', key = ''] = form.exec(stored ?? nobody) ?? []
        const derived = await derive(password, Buffer.from(salt, 'base64url'), N)
        return timingSafeEqual(derived, Buffer.from(key, 'base64url')) && stored !== undefined
      }),
  }
}

export type Passwords = ReturnType<typeof createPasswords>

const opened = new WeakMap<Config, Passwords>()

/** One limit for all hosts of a process, because the memory of the machine is what it protects. */
export const passwordsOf = (config: Config): Passwords => {
  const present = opened.get(config) ?? createPasswords(config)
  opened.set(config, present)
  return present
}
