import { describe, expect, it } from 'vitest'
import { createFactorSecret, otpauthUrl, stepOf } from './totp'

// RFC 6238, appendix B: the last six digits of its eight, for the secret "12345678901234567890".
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const at = (seconds: number) => new Date(seconds * 1000)

describe('the codes of an app', () => {
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('are those of RFC 6238 at %i s', (seconds, code) => {
    expect(stepOf(secret, code, at(seconds))).toBe(Math.floor(seconds / 30))
  })
  it('are taken one step early and one late, as the step they belong to', () => {
    const step = Math.floor(1_111_111_111 / 30)
    expect([-60, -30, 0, 30, 60].map((late) => stepOf(secret, '050471', at(1_111_111_111 + late)))).toEqual([
      undefined,
      step,
      step,
      step,
      undefined,
    ])
  })
  it.each(['', '05047', '0504711', '050472', 'abcdef'])('are nothing like %j', (code) => {
    expect(stepOf(secret, code, at(1_111_111_111))).toBeUndefined()
  })
})

it('the picture names issuer and account, and a secret is 160 bits and never the same', () => {
  const [one, two] = [createFactorSecret(), createFactorSecret()]
  expect(one).toMatch(/^[A-Z2-7]{32}$/)
  expect(one).not.toBe(two)
  const url = new URL(otpauthUrl(one, 'ines@example.com'))
  expect([url.protocol, url.host, decodeURIComponent(url.pathname)]).toEqual(['otpauth:', 'totp', '/Teasel:ines@example.com'])
  expect([url.searchParams.get('secret'), url.searchParams.get('issuer')]).toEqual([one, 'Teasel'])
})
