import { describe, expect, it } from 'vitest'
import { environmentOf, readEnvironment } from './environment'

/** A document with these settings from the console's host. */
const pageWith = (told: object) => ({ querySelector: () => ({ content: JSON.stringify(told) }) }) as unknown as Document

describe('the links of the header (§1)', () => {
  it('are absent where none is configured, in every environment', () => {
    for (const environment of ['local', 'staging', 'production'])
      expect(readEnvironment(pageWith({ environment }), 'http://localhost:5173').links).toEqual({})
  })
  it('are only those with a web address', () => {
    const links = {
      docs: 'https://docs.example/',
      terminal: '',
      community: 'javascript:alert(1)',
      feedback: 7,
      other: 'https://x',
    }
    expect(readEnvironment(pageWith({ links }), 'http://localhost:5173').links).toEqual({ docs: 'https://docs.example/' })
  })
})

describe('T-29 the environment goes by the parsed origin (§1, R18)', () => {
  it.each(['http://localhost', 'http://localhost:5173', 'http://127.0.0.1:9', 'http://LOCALHOST:1'])('%s is local', (origin) =>
    expect(environmentOf(origin)).toBe('local'),
  )
  it('knows staging by its exact origin', () => expect(environmentOf('https://console.staging.teasel.example')).toBe('staging'))
  it.each([
    'http://localhost.evil.example',
    'http://localhost@evil.example',
    'http://127.0.0.1.evil.example',
    'http://127.0.0.10',
    'https://localhost',
    'http://localhostx:5173',
    'http://xlocalhost',
    'ftp://localhost',
    'http://[::1]:5173',
    'https://console.staging.teasel.example:8443',
    'https://console.staging.teasel.example.evil.example',
    'http://console.staging.teasel.example',
    'https://xconsole.staging.teasel.example',
    'https://teasel.example',
    'null',
    '',
  ])('%s is production', (origin) => expect(environmentOf(origin)).toBe('production'))
})
