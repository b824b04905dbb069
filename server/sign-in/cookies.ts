import type { FastifyReply, FastifyRequest } from 'fastify'
import { nextId } from '../core/ids'
import type { Config } from '../core/config'
import type { Tx } from '../core/database/tx'
import type { Deps } from '../core/deps'
import { lifetimes } from '../core/lifetimes'
import { notifyOfNewBrowser } from '../accounts/notifications/account'
import { createSecret, hashOf } from '../core/tokens/token'
import { endSignInOfToken, findSignIn, insertSignIn, type SignedIn } from '../accounts/sessions/sign-ins.repository'

type Kind = 'sign_in' | 'form' | 'step' | 'identity' | 'link' | 'browser' | 'continue'

const isSecure = ({ urls }: Pick<Config, 'urls'>) => urls['sign-in'].startsWith('https:')

// `__Host-` needs TLS: on plain localhost the cookie has no prefix.
const nameOf = (config: Config, kind: Kind) => `${isSecure(config) ? '__Host-' : ''}teasel_${kind}`

export const cookieOf = (request: FastifyRequest, config: Config, kind: Kind): string | undefined => {
  const name = nameOf(config, kind)
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const [key, value] = part.trim().split('=', 2)
    if (key === name && value !== undefined && /^[\w-]{43}$/.test(value)) return value
  }
  return undefined
}

export const setCookie = (reply: FastifyReply, config: Config, kind: Kind, value: string | null, maxAgeS?: number): void => {
  const age = value === null ? '; Max-Age=0' : maxAgeS === undefined ? '' : `; Max-Age=${maxAgeS}`
  const secure = isSecure(config) ? '; Secure' : ''
  const name = nameOf(config, kind)
  // One value of a name: that of a transaction that was run again replaces the first one.
  const others = [reply.getHeader('Set-Cookie') ?? []].flat().filter((one) => !String(one).startsWith(`${name}=`))
  reply.removeHeader('Set-Cookie')
  reply.header('Set-Cookie', [...others.map(String), `${name}=${value ?? ''}; Path=/; HttpOnly; SameSite=Lax${age}${secure}`])
}

/** The user who is signed in with this browser, by the server's clock. */
export const signedInOf = async ({ db, clock, config }: Deps, request: FastifyRequest): Promise<SignedIn | undefined> => {
  const secret = cookieOf(request, config, 'sign_in')
  if (secret === undefined) return undefined
  return findSignIn(db, hashOf(secret), clock())
}

/** The account of the identity provider that signed in, and its session there. */
type ByIdentity = { identityId: string; providerSession: string | null }

/** Signs a browser in, always with a new cookie (T-10: a previous sign-in of the browser ends). */
export const beginSignIn = async (
  tx: Tx,
  reply: FastifyReply,
  { config, clock }: Deps,
  userId: string,
  by?: ByIdentity,
): Promise<string> => {
  const secret = createSecret()
  const now = clock()
  const former = cookieOf(reply.request, config, 'sign_in')
  if (former !== undefined) await endSignInOfToken(tx, hashOf(former), now)
  const maxAgeS = config.limits.sessionAbsoluteS
  const id = nextId(now)
  const expiresAt = new Date(now.getTime() + maxAgeS * 1000)
  await insertSignIn(tx, { id, userId, tokenHash: hashOf(secret), createdAt: now, lastUsedAt: now, expiresAt, ...by })
  setCookie(reply, config, 'sign_in', secret, maxAgeS)
  const browser = cookieOf(reply.request, config, 'browser') ?? createSecret()
  setCookie(reply, config, 'browser', browser, lifetimes.knownBrowserDays * 86_400)
  const { ip, headers } = reply.request
  await notifyOfNewBrowser(tx, { userId, signInId: id, browserHash: hashOf(browser), ip, userAgent: headers['user-agent'], now })
  return id
}
