import { createHash, randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { buildSignIn } from '../../server/sign-in'
import type { TestApi } from './api'

type Sent = { status: number; text: string; headers: Record<string, unknown>; location: string | undefined }

export const pkce = () => {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export const authorizeQuery = (challenge: string, redirect = 'http://localhost:5173/') => ({
  redirect_uri: redirect,
  state: 'state-of-this-very-test',
  code_challenge: challenge,
  code_challenge_method: 'S256',
})

/** A browser at the sign-in host, with forms and cookies only. */
const browser = (app: FastifyInstance, address = '127.0.0.1') => {
  const cookies = new Map<string, string>()
  const keep = (set: string | string[] | undefined) => {
    for (const line of [set ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
  }
  const send = async (method: 'GET' | 'POST', url: string, form?: Record<string, string>, headers = {}): Promise<Sent> => {
    const answer = await app.inject({
      method,
      url,
      remoteAddress: address,
      ...(form && { payload: new URLSearchParams(form).toString() }),
      headers: {
        host: 'localhost:3000',
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }),
        ...headers,
      },
    })
    keep(answer.headers['set-cookie'])
    const { location } = answer.headers
    return { status: answer.statusCode, text: answer.payload, headers: answer.headers, location: location?.toString() }
  }
  const csrfOf = (text: string) => /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? ''
  return {
    cookies,
    get: (url: string, headers = {}) => send('GET', url, undefined, headers),
    /** Posts with the given token; `submit` loads the page first and uses its token. */
    post: (url: string, form: Record<string, string>, headers = {}) => send('POST', url, form, headers),
    submit: async (page: string, form: Record<string, string>, action = page.split('?')[0] ?? page) =>
      send('POST', action, { csrf: csrfOf((await send('GET', page)).text), ...form }),
  }
}

export const password = 'lattice of lozenges'

/** The sign-in host of a test API, and an account created with its forms. */
export const createSignIn = async (api: TestApi) => {
  const app = buildSignIn(api.deps)
  await app.ready()
  const linkTo = (email: string, part: string) => {
    const mail = api.sent.toReversed().find(({ to, text }) => to === email && text.includes(part))
    return /https?:\/\/[^/]+(\/\S+)/.exec(mail?.text ?? '')?.[1] ?? ''
  }
  return {
    app,
    config: api.deps.config,
    linkTo,
    browser: (address?: string) => browser(app, address),
    signUp: async (email: string, full_name = 'Ines Quist') => {
      const visitor = browser(app)
      await visitor.submit('/signup', { email, full_name })
      await visitor.submit(linkTo(email, '/signup/'), { password })
      return visitor
    },
    close: () => app.close(),
  }
}
