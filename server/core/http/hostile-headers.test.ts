import { expect, it } from 'vitest'
import { hasTokenInQuery } from './actors'
import { encodingFor } from './encoding'

const token = `ses_${'a'.repeat(49)}`

it('a token is found as the value of any parameter of an address, and nowhere else', () => {
  for (const url of [`/x?a=${token}`, `/x?b=1&a=${token}&c=2`, `/x?${token}`, `/x??a=${token}`, `/x?a=?b=${token}`])
    expect([url, hasTokenInQuery(url)]).toEqual([url, true])
  for (const url of [`/x/${token}`, `/x?a=${token}a`, `/x?a=b${token}`, '/x', '/x?', '/x?a&='])
    expect([url, hasTokenInQuery(url)]).toEqual([url, false])
})

it('the best accepted encoding is chosen, also with a quality, and none for a header of more than 1,024 characters', () => {
  const cases = {
    'gzip, br': 'br',
    'br ; q=0, gzip;q=0.5': 'gzip',
    'br;q=0': 'identity',
    '': 'identity',
    'gzip;x=1;q=0': 'identity',
  }
  expect(Object.fromEntries(Object.keys(cases).map((accept) => [accept, encodingFor(accept)]))).toEqual(cases)
  expect([encodingFor(undefined), encodingFor(`br${' '.repeat(1023)}`), encodingFor(`br${' '.repeat(1022)}`)]).toEqual([
    'identity',
    'identity',
    'br',
  ])
})

it.each([
  ['an address of ?', (length: number) => hasTokenInQuery('?'.repeat(length))],
  ['an address of ?a=', (length: number) => hasTokenInQuery('?a='.repeat(length / 3))],
  ['Accept-Encoding of spaces', (length: number) => encodingFor(`a${' '.repeat(length)}b`)],
])('%s is read in a time that grows with its length at most', (_, read) => {
  const cost = (length: number) => {
    const times = Array.from({ length: 5 }, () => {
      const before = process.cpuUsage()
      for (let n = 0; n < 10; n++) read(length)
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1000
    })
    return Math.min(...times)
  }
  // 16 times the length of the longest head: a square would take 256 times as long.
  expect(cost(16 * 16_384) / (cost(16_384) + 2)).toBeLessThan(100)
})
