import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { self } from '../../contract/accounts/users'
import { buildConsole } from '../../server/console'
import { createLog } from '../../server/core/log'
import { createTestApi, type TestApi } from '../support/api'
import { createSignIn } from '../support/sign-in'

/** What the two hosts answer to anonymous requests, with the variables of an installation. */
const shownBy = async (variables: Record<string, string>) => {
  const api = await createTestApi(variables)
  const host = await createSignIn(api)
  try {
    const visitor = host.browser()
    const [outbox, billing] = [await visitor.get('/outbox'), await visitor.get('/billing')]
    const answer = await api.call(self, {})
    return {
      outbox: outbox.status,
      billing: billing.status,
      transportSecurity: [outbox, billing, answer].map(({ headers }) => headers['strict-transport-security'] !== undefined),
    }
  } finally {
    await host.close()
    await api.close()
  }
}

const never = { outbox: 404, billing: 404, transportSecurity: [true, true, true] }

it('serves the outbox and the billing stand-in where only this machine reaches the hosts', async () => {
  expect(await shownBy({})).toMatchObject({ outbox: 200, transportSecurity: [false, false, false] })
})

it.each([
  ['on a URL of a private network', { TEASEL_WEB_URL: 'http://192.168.1.20:5173' }],
  ['on an address that others reach', { TEASEL_BIND: '0.0.0.0' }],
  ['in another environment than the local one', { TEASEL_ENVIRONMENT: 'staging' }],
])('serves neither the outbox nor the billing stand-in %s, and requires TLS from then on', async (_, variables) => {
  expect(await shownBy(variables)).toEqual(never)
})

it('does not serve the outbox when a mail server is configured', async () => {
  expect(await shownBy({ SMTP_URL: 'smtp://127.0.0.1:2525' })).toMatchObject({ outbox: 404 })
})

describe('an installation with https URLs', () => {
  const names = { console: 'console.teasel.example', 'sign-in': 'sign-in.teasel.example', api: 'api.teasel.example' }
  let api: TestApi
  let apps: Record<keyof typeof names, FastifyInstance>
  beforeAll(async () => {
    api = await createTestApi({
      TEASEL_ENVIRONMENT: 'production',
      TEASEL_WEB_URL: `https://${names.console}`,
      TEASEL_API_URL: `https://${names.api}`,
      TEASEL_SIGN_IN_URL: `https://${names['sign-in']}`,
    })
    const log = createLog('silent', { write: () => {} })
    apps = {
      console: buildConsole({ config: api.config, log }),
      'sign-in': (await createSignIn(api)).app,
      api: api.app,
    }
  })
  afterAll(async () => {
    await apps.console.close()
    await apps['sign-in'].close()
    await api.close()
  })
  const hosts = ['console', 'sign-in', 'api'] as const

  it.each(hosts)('requires TLS for two years, also for all subdomains of the %s host', async (host) => {
    for (const url of ['/', '/healthz', '/assets/gone.js']) {
      const { headers } = await apps[host].inject({ url, headers: { host: names[host] } })
      expect(headers['strict-transport-security']).toBe('max-age=63072000; includeSubDomains')
    }
  })

  it.each(hosts)(
    'answers each request of the %s host with a policy without plug-ins, base addresses and frames',
    async (host) => {
      for (const url of ['/', '/healthz', '/assets/gone.js']) {
        const { headers } = await apps[host].inject({ url, headers: { host: names[host] } })
        const policy = String(headers['content-security-policy']).split('; ')
        for (const directive of ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"])
          expect(policy).toContain(directive)
        expect(policy.join()).not.toMatch(/object-src|unsafe/)
        expect(headers['x-content-type-options']).toBe('nosniff')
      }
    },
  )

  it('sets each cookie for the sign-in host alone: with the prefix __Host-, Secure, HttpOnly and SameSite', async () => {
    const page = await apps['sign-in'].inject({ url: '/signin', headers: { host: names['sign-in'] } })
    const form = [page.headers['set-cookie'] ?? []].flat()
    expect(form).toEqual([expect.stringMatching(/^__Host-teasel_form=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/)])
    const cookie = form[0]?.split(';')[0] ?? ''
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.payload)?.[1] ?? ''
    const out = await apps['sign-in'].inject({
      method: 'POST',
      url: '/signout',
      headers: { host: names['sign-in'], cookie, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ csrf }).toString(),
    })
    expect(out.statusCode).toBe(303)
    expect([out.headers['set-cookie']].flat()).toEqual([
      '__Host-teasel_sign_in=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0; Secure',
    ])
    const { headers } = await apps.api.inject({ url: '/users/self', headers: { host: names.api } })
    expect(headers['set-cookie']).toBeUndefined()
  })

  it.each([
    ['api', '/users/self', 'application/json; charset=utf-8'],
    ['api', '/healthz', 'application/json; charset=utf-8'],
    ['sign-in', '/signin', 'text/html; charset=utf-8'],
    ['sign-in', '/favicon.svg', 'image/svg+xml; charset=utf-8'],
    ['sign-in', '/nowhere', 'text/html; charset=utf-8'],
  ] as const)('the %s host names the type and the charset of %s: %s', async (host, url, type) => {
    expect((await apps[host].inject({ url, headers: { host: names[host] } })).headers['content-type']).toBe(type)
  })

  it.each(hosts)('does not answer TRACE at the %s host', async (host) => {
    const answer = await apps[host].inject({
      method: 'TRACE' as never,
      url: '/healthz',
      headers: { host: names[host], 'x-canary': 'canary' },
    })
    expect(answer.statusCode).toBe(404)
    expect(answer.payload).not.toContain('canary')
  })
})
