import { expect } from 'vitest'
import type { Page } from 'playwright-core'

export type Cryptography = {
  /** Once the page waits for a digest. */
  asked: () => Promise<void>
  answer: () => Promise<void>
  fail: () => Promise<void>
}

type Gate = { pass: () => void; fail: () => void }
const install = () => {
  const gates: Gate[] = []
  const digest = crypto.subtle.digest.bind(crypto.subtle)
  Object.assign(window, { gates })
  Object.assign(SubtleCrypto.prototype, {
    digest: (...given: Parameters<typeof digest>) =>
      new Promise((resolve, reject) => {
        const fail = () => reject(new DOMException('There is no cryptography here', 'OperationError'))
        gates.push({ pass: () => resolve(digest(...given)), fail })
      }),
  })
}

/** The browser's cryptography, which computes nothing until it is told: a slow machine, or an address where there is none. */
export const cryptography = async (page: Page): Promise<Cryptography> => {
  await page.addInitScript(install)
  const waiting = () => page.evaluate(() => Reflect.get(window, 'gates').length)
  const end = (how: 'pass' | 'fail') => page.evaluate((it) => Reflect.get(window, 'gates').shift()?.[it](), how)
  const asked = () => expect.poll(waiting, { timeout: 30_000 }).toBe(1)
  return {
    asked,
    answer: () => end('pass'),
    fail: () => end('fail'),
  }
}
