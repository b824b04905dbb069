import { describe, expect, it } from 'vitest'
import { billingPairs } from '../../contract/accounts/billing'
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

describe('the hosts of an environment (§1, §7)', () => {
  const at = (origin: string) => readEnvironment(pageWith({}), origin)
  const places = ['http://localhost:5173', 'https://console.staging.teasel.example', 'https://console.teasel.example'].map(at)

  it('are the API at port 8080 and sign-in at port 3000 where it is local', () => {
    const [local] = places
    expect([local?.name, local?.api, local?.signIn]).toEqual(['local', 'http://localhost:8080', 'http://localhost:3000'])
  })
  it('are two of its own in staging and in production', () => {
    expect(places.map(({ name }) => name)).toEqual(['local', 'staging', 'production'])
    expect(new Set(places.flatMap(({ api, signIn }) => [api, signIn])).size).toBe(6)
    for (const { api, signIn } of places.slice(1)) for (const host of [api, signIn]) expect(host).toMatch(/^https:/)
  })
  it('§9: come with the test price and portal locally and in staging, and the live pair in production', () => {
    const { test, live } = billingPairs
    expect(places.map(({ price, portal }) => ({ price, portal }))).toEqual([test, test, live])
    expect([test.price, test.portal]).not.toEqual([live.price, live.portal])
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
