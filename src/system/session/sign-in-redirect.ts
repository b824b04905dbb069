import { base64url } from './base64url'

/** What is stored of a redirect to the sign-in host, under its `state`, in this tab only. */
type Round = { verifier: string; wanted: string }
/** The returned code of a redirect started here. */
type ReturnedRound = Round & { code: string }
/** The data of a redirect, prepared before the browser navigates. */
type Departing = { state: string; verifier: string; challenge: string }

export type SignInRedirect = {
  /** Whether this page load returned from the sign-in host with a code that was not taken yet. */
  returned: () => boolean
  /** Returns the code and its verifier once: a page restored by the Back button must not redeem them again. */
  take: () => ReturnedRound | null
  /** The path and query from before the redirect. */
  wanted: () => string
  /** How often the sign-in host sent this tab back within the last minute, since a person asked to sign in. */
  rounds: () => number
  /** Rejects where the browser has no Web Crypto: on an insecure origin. */
  prepare: () => Promise<void>
  /** Stores the current path and query and navigates to the sign-in host. Call `prepare` before. */
  leave: (automatic: boolean) => void
}

const roundsKey = 'sign_in_rounds'
/** The code and the state of the fragment, from one load of the page to the next: written by `early-theme.js`. */
const codeKey = 'sign_in_code'
const roundKey = (state: string) => `sign_in.${state}`
const minute = 60_000

const random = (bytes: number) => base64url(crypto.getRandomValues(new Uint8Array(bytes)))
const challengeOf = async (verifier: string) =>
  base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))))

/** T-08: a path of this origin, or the start page. */
export const ownPath = (wanted: string, origin: string): string => {
  if (!URL.canParse(wanted, origin)) return '/'
  const url = new URL(wanted, origin)
  return url.origin === origin ? `${url.pathname.replace(/^\/{2,}/, '/')}${url.search}` : '/'
}

const isRound = (value: unknown): value is Round =>
  typeof value === 'object' &&
  value !== null &&
  'verifier' in value &&
  typeof value.verifier === 'string' &&
  'wanted' in value &&
  typeof value.wanted === 'string'

const parsed = (text: string | null): unknown => {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}

const isReturn = (value: unknown): value is { code: string; state: string } =>
  typeof value === 'object' &&
  value !== null &&
  'code' in value &&
  typeof value.code === 'string' &&
  'state' in value &&
  typeof value.state === 'string'

const takeKept = (page: Window, key: string): unknown => {
  try {
    const kept = parsed(page.sessionStorage.getItem(key))
    page.sessionStorage.removeItem(key)
    return kept
  } catch {
    return null
  }
}

const stampsOf = (page: Window) => {
  const kept = parsed(page.sessionStorage.getItem(roundsKey))
  const since = Date.now() - minute
  return Array.isArray(kept) ? kept.filter((at): at is number => typeof at === 'number' && at > since) : []
}

/** A redirect that did not return is no round of a loop: people open the console again while they are signed out. */
const countReturn = (page: Window): void => {
  try {
    page.sessionStorage.setItem(roundsKey, JSON.stringify([...stampsOf(page), Date.now()]))
  } catch {
    // Storage is full: the chart says so before the next redirect.
  }
}

/** T-09: takes what `early-theme.js` removed from the URL, and removes it from storage before other code of this page runs. */
const takeReturned = (page: Window): ReturnedRound | null => {
  const kept = takeKept(page, codeKey)
  if (!isReturn(kept)) return null
  countReturn(page)
  const round = takeKept(page, roundKey(kept.state))
  return isRound(round) ? { ...round, wanted: ownPath(round.wanted, page.location.origin), code: kept.code } : null
}

/** The redirect to the sign-in host and back: PKCE with S256, so that no token is ever in a URL. */
export const createSignInRedirect = (page: Window, signIn: string): SignInRedirect => {
  const returned = takeReturned(page)
  let taken = false
  let departing: Departing | undefined
  return {
    returned: () => returned !== null && !taken,
    take: () => {
      const round = taken ? null : returned
      taken = true
      return round
    },
    wanted: () => returned?.wanted ?? '/',
    rounds: () => stampsOf(page).length,
    prepare: async () => {
      const verifier = random(32)
      departing = { state: random(16), verifier, challenge: await challengeOf(verifier) }
    },
    leave: (automatic) => {
      if (!departing) throw new Error('The round has not been prepared')
      const { state, verifier, challenge } = departing
      const round: Round = { verifier, wanted: page.location.pathname + page.location.search }
      page.sessionStorage.setItem(roundKey(state), JSON.stringify(round))
      if (!automatic) page.sessionStorage.removeItem(roundsKey)
      const query = new URLSearchParams({
        redirect_uri: `${page.location.origin}/`,
        state,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      })
      page.location.assign(`${signIn}/signin?${query}`)
    },
  }
}
