import { signInCodes } from '../accounts/schema/people'
import type { Tx } from '../core/database/tx'
import type { Deps } from '../core/deps'
import { refuse } from '../core/http/refuse'
import { consoleOrigins } from '../core/http/origins'
import { createSecret, hashOf } from '../core/tokens/token'

const CODE_MS = 60_000

/** What the console asks for: where to, its `state`, and the challenge of its verifier (product.md 4.2). */
type ToConsole = { redirect_uri: string; state: string; code_challenge: string; code_challenge_method: 'S256' }

/** `mail` is the proof of the mail that the invite came by; a link that was handed over has none. */
export type ToInvite = { invite: string; mail?: string }

/** Where a person goes once they are known here: to the console, or back to the invite they came from. */
export type HandOver = ToConsole | ToInvite

const isSecret = (text: string) => /^[\w-]{43}$/.test(text)

type Asked = Readonly<Record<string, string | undefined>>

const bad = (message: string): never => refuse(400, 'bad_redirect', { message })

/** Undefined where nothing is asked (somebody typed the address); 400 and never a redirect for anything not right (T-08). */
export const handOverOf = ({ config }: Deps, asked: Asked): HandOver | undefined => {
  const { invite, mail, redirect_uri, state, code_challenge, code_challenge_method } = asked
  if (invite !== undefined) {
    if (!isSecret(invite) || (mail !== undefined && !isSecret(mail))) return bad('This is not an invite')
    return { invite, ...(mail !== undefined && { mail }) }
  }
  if ([redirect_uri, state, code_challenge, code_challenge_method].every((value) => value === undefined)) return undefined
  // An exact comparison of strings: no parsing, so nothing to be parsed in two ways.
  const allowed = [...consoleOrigins(config)].map((origin) => `${origin}/`)
  if (redirect_uri === undefined || !allowed.includes(redirect_uri)) return bad('This address may not be signed in to')
  if (state === undefined || !/^[\w-]{16,128}$/.test(state)) return bad('The state is missing or not well formed')
  if (code_challenge_method !== 'S256' || code_challenge === undefined || !/^[\w-]{43}$/.test(code_challenge))
    return bad('The code challenge is missing or not well formed')
  return { redirect_uri, state, code_challenge, code_challenge_method }
}

/** The address to go to with a new code, in the fragment, where no server log sees it. */
export const handOver = async (
  tx: Tx,
  { clock, config }: Deps,
  asked: HandOver | undefined,
  userId: string,
  signInId: string,
) => {
  if (!asked) return `${config.urls.console}/`
  if ('invite' in asked) return `/invites/${asked.invite}`
  const code = createSecret()
  const expiresAt = new Date(clock().getTime() + CODE_MS)
  const { redirect_uri: redirectUri, code_challenge: challenge, state } = asked
  await tx.insert(signInCodes).values({ codeHash: hashOf(code), userId, signInId, challenge, redirectUri, expiresAt })
  return `${redirectUri}#code=${code}&state=${state}`
}

/** What is asked, to be carried on to another page of this host, with what else it is to know. */
export const queryOf = (asked: HandOver | undefined, more: Readonly<Record<string, string>> = {}): string => {
  const query = new URLSearchParams({ ...asked, ...more })
  return query.size > 0 ? `?${query.toString()}` : ''
}
