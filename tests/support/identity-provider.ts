import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { freePort } from './free-port'

const script = fileURLToPath(new URL('identity-provider-process.mjs', import.meta.url))

type Account = { email?: string; email_verified?: boolean; name?: string; groups?: string[] }
type Fault = 'forged' | 'unknown_key' | 'none' | 'expired' | 'audience' | 'issuer' | 'nonce' | 'no_nonce'
type Settings = {
  redirectUri?: string
  logoutUri?: string
  accounts?: Record<string, Account>
  fault?: Fault
  down?: 'refuse' | 'hang' | null
  rotate?: boolean
}

/** An identity provider in a process of its own, on a free port. */
export const startIdentityProvider = async () => {
  const port = await freePort()
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, PROVIDER_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await once(child.stdout, 'data')
  const issuer = `http://localhost:${port}`
  const post = async (path: string, body: unknown): Promise<unknown> =>
    (await fetch(`${issuer}${path}`, { method: 'POST', body: JSON.stringify(body) })).json()
  return {
    issuer,
    variables: {
      TEASEL_OIDC_ISSUER: issuer,
      TEASEL_OIDC_CLIENT_ID: 'teasel',
      TEASEL_OIDC_CLIENT_SECRET: 'a secret of the tests',
      TEASEL_OIDC_NAME: 'Hedgerow',
    },
    set: (settings: Settings) => post('/test/set', settings),
    /** A token signed by the provider with these claims; null leaves one out. */
    logoutToken: async (claims: Record<string, unknown>, forged = false): Promise<string> => {
      const { token } = (await post('/test/logout-token', { claims, forged })) as { token: string }
      return token
    },
    stop: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

export type TestIdentityProvider = Awaited<ReturnType<typeof startIdentityProvider>>

/** A browser at the provider: logs in there and returns the address to which the provider sends it back. */
export const logInAt = async (url: string, login: string): Promise<URL> => {
  const cookies = new Map<string, string>()
  const send = async (address: URL, form?: Record<string, string>): Promise<URL> => {
    const answer = await fetch(address, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const location = answer.headers.get('location')
    if (location !== null) {
      const next = new URL(location, address)
      return next.origin === address.origin ? send(next) : next
    }
    if (form !== undefined || !address.pathname.startsWith('/login/')) throw new Error(`${address.href}: ${await answer.text()}`)
    return send(address, { login })
  }
  return send(new URL(url))
}
