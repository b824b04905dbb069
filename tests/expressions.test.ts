import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { containsPrivateKey } from '../contract/fleet/keys'
import { root } from '../server/core/root'
import { maskSecrets } from '../server/fleet/logs/mask-secrets'
import { isPrivateKeyName } from '../server/updates/secure-boot/formats/private-keys'
import { askRecheck } from './support/ask-recheck'
import { isFull } from './support/counts'
import { findExpressions, isMade, listExpressions, readSafeExpressions } from './support/expressions'
import { harmless } from './support/harmless-expressions'

const whatToDo = `Run npx tsx tests/support/check-expressions.ts. It adds what recheck calls safe to tests/support/safe-expressions.txt.
Write an expression that it prints anew, or give it a bound in tests/support/harmless-expressions.ts`

it('every regular expression of the product is one that recheck calls safe, or one with a bound', async () => {
  const all = await listExpressions()
  expect(all.size).toBeGreaterThan(300)
  const answered = new Set([...readSafeExpressions(), ...harmless.keys()])
  const missing = [...all].filter(([expression]) => !answered.has(expression))
  expect(missing, whatToDo).toEqual([])
  expect(
    [...answered].filter((expression) => !all.has(expression)),
    whatToDo,
  ).toEqual([])
})

it('no expression is called safe that has a bound or is made at run time, and each bound names its file', () => {
  const safe = readSafeExpressions()
  expect(safe.filter((expression) => harmless.has(expression) || isMade(expression))).toEqual([])
  expect(safe).toEqual([...new Set(safe)].toSorted())
  expect([...harmless.values()].filter(({ where }) => !existsSync(join(root, where)))).toEqual([])
})

it('an expression is found as a literal, as a constant and as it is made, but not in a comment or a text', () => {
  const code = [
    'const a = text.split(/a+/g) // /b+/',
    "const c = [new RegExp('c/', 'i'), RegExp(`d`), new globalThis.RegExp('e')]",
    "const f = new RegExp(`f${a}\n`, 'g') ? '/g+/' : 1 / 2 / 3",
  ].join('\n')
  const made = "new RegExp(`f${a} `, 'g')"
  expect(findExpressions(code, 'code.ts')).toEqual(['/a+/g', '/c\\//i', '/d/', '/e/', made])
})

it('recheck tells an exponential and a quadratic expression from a linear one', async () => {
  const verdicts = await Promise.all(['/^(?:a+)+$/', '/a+$/', '/^a+$/'].map(askRecheck))
  expect(verdicts.map(({ status }) => status)).toEqual(['vulnerable', 'vulnerable', 'safe'])
})

it.runIf(isFull)('recheck calls every expression safe that is listed as safe', async () => {
  const wrong: string[] = []
  for (const expression of readSafeExpressions()) if ((await askRecheck(expression)).status !== 'safe') wrong.push(expression)
  expect(wrong).toEqual([])
})

it.each<[what: string, read: (text: string) => unknown, unit: string]>([
  ['a file name of private keys', isPrivateKeyName, '-priv'],
  ['a text with comments of minisign', containsPrivateKey, 'untrusted comment: '],
  ['a log line with starts of tokens', maskSecrets, 'eyJ0000000-'],
])('%s is read in a time that grows with its length', (_, read, unit) => {
  const cost = (length: number) => {
    const text = unit.repeat(length / unit.length)
    const times = Array.from({ length: 3 }, () => {
      const before = process.cpuUsage()
      read(text)
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1000
    })
    return Math.min(...times)
  }
  // 16 times the length: a square would take 256 times as long. The addend is for short times.
  expect(cost(16 * 32_768) / (cost(32_768) + 2)).toBeLessThan(60)
})

it('a name with many signs after the word for private is answered at once', () => {
  expect(isPrivateKeyName(`priv${'-'.repeat(25)}!.bin`)).toBe(true)
  expect(isPrivateKeyName(`pri${'-'.repeat(200)}!.bin`)).toBe(false)
})
