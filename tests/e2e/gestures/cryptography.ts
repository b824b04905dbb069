import { expect } from 'vitest'
import type { Page } from 'playwright-core'

export type Cryptography = {
  /** Resolves once the page waits for a digest. */
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

/** Holds the browser's Web Crypto until released: simulates a slow machine, or an origin without it. */
export const cryptography = async (page: Page): Promise<Cryptography> => {
  await page.addInitScript(install)
  const waiting = () => page.evaluate(() => Reflect.get(window, 'gates').length)
  const end = (how: 'pass' | 'fail') => page.evaluate((it) => Reflect.get(window, 'gates').shift()?.[it](), how)
  const asked = () => expect.poll(waiting).toBe(1)
  return {
    asked,
    answer: () => end('pass'),
    fail: () => end('fail'),
  }
}
