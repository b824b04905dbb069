import { secondsAfter } from '../core/days'
import { lifetimes } from '../core/lifetimes'
import { insertSignInCode } from '../accounts/sessions/sign-in-codes.repository'
import type { Tx } from '../core/database/tx'
import type { Deps } from '../core/deps'
import { refuse } from '../core/http/refuse'
import { consoleOrigins } from '../core/http/origins'
import { createSecret, hashOf } from '../core/tokens/token'

/** The request of the console: the redirect URI, its `state`, and the PKCE challenge. */
type ToConsole = { redirect_uri: string; state: string; code_challenge: string; code_challenge_method: 'S256' }

/** `mail` is the proof in the mailed link; a link that was shared by other means has none. */
type ToInvite = { invite: string; mail?: string }

/** Where a person continues after signing in: the console, or the invite that they came from. */
export type AuthorizationRequest = ToConsole | ToInvite

const isSecret = (text: string) => /^[\w-]{43}$/.test(text)

type Asked = Readonly<Record<string, string | undefined>>

const bad = (message: string): never => refuse(400, 'bad_redirect', { message })

/** Undefined without a request (the URL was typed); 400 and never a redirect for an invalid one (T-08). */
export const findAuthorizationRequest = ({ config }: Deps, asked: Asked): AuthorizationRequest | undefined => {
  const { invite, mail, redirect_uri, state, code_challenge, code_challenge_method } = asked
  if (invite !== undefined) {
    if (!isSecret(invite) || (mail !== undefined && !isSecret(mail))) return bad('This is not an invite')
    return { invite, ...(mail !== undefined && { mail }) }
  }
  if ([redirect_uri, state, code_challenge, code_challenge_method].every((value) => value === undefined)) return undefined
  // An exact comparison of strings: no parsing, so no differences between parsers.
  const allowed = [...consoleOrigins(config)].map((origin) => `${origin}/`)
  if (redirect_uri === undefined || !allowed.includes(redirect_uri)) return bad('Sign-in to this address is not allowed')
  if (state === undefined || !/^[\w-]{16,128}$/.test(state)) return bad('The state is missing or malformed')
  if (code_challenge_method !== 'S256' || code_challenge === undefined || !/^[\w-]{43}$/.test(code_challenge))
    return bad('The code challenge is missing or malformed')
  return { redirect_uri, state, code_challenge, code_challenge_method }
}

/** The redirect URL with a new code in its fragment, which no server log contains. */
export const redirectWithCode = async (
  tx: Tx,
  { clock, config }: Deps,
  asked: AuthorizationRequest | undefined,
  userId: string,
  signInId: string,
) => {
  if (!asked) return `${config.urls.console}/`
  if ('invite' in asked) return `/invites/${asked.invite}`
  const code = createSecret()
  const expiresAt = secondsAfter(clock(), lifetimes.signInCodeS)
  const { redirect_uri: redirectUri, code_challenge: challenge, state } = asked
  await insertSignInCode(tx, { codeHash: hashOf(code), userId, signInId, challenge, redirectUri, expiresAt })
  return `${redirectUri}#code=${code}&state=${state}`
}

/** The query of another page of this host that carries the request on, with further parameters. */
export const queryOf = (asked: AuthorizationRequest | undefined, more: Readonly<Record<string, string>> = {}): string => {
  const query = new URLSearchParams({ ...asked, ...more })
  return query.size > 0 ? `?${query.toString()}` : ''
}
