import { describe, expect, it } from 'vitest'
import { environmentOf } from './environment'

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
