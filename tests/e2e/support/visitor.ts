import type { Person } from './people'
import { pkce } from '../../support/sign-in'
import { createSession } from '../../../contract/accounts/sessions'
import { call } from './call'

/** The origins of the three hosts. */
export type Hosts = { api: string; signIn: string; console: string }

/** A browser at the sign-in host with forms and cookies only, over real HTTP. */
const visitor = (signIn: string) => {
  const cookies = new Map<string, string>()
  const send = async (path: string, form?: Record<string, string>) => {
    const answer = await fetch(new URL(path, signIn), {
      redirect: 'manual',
      method: form ? 'POST' : 'GET',
      headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
      ...(form && { body: new URLSearchParams(form) }),
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return { status: answer.status, text: await answer.text(), location: answer.headers.get('location') ?? '' }
  }
  const submit = async (page: string, form: Record<string, string>) => {
    const { text } = await send(page)
    const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? ''
    return send(page.split('?')[0] ?? page, { csrf, ...form })
  }
  return { get: (path: string) => send(path), submit }
}

const state = 'state-of-this-very-test'
/** The console's parameters for the sign-in host, and the values it keeps. */
const round = (hosts: Hosts) => {
  const { verifier, challenge } = pkce()
  const asked = { redirect_uri: `${hosts.console}/`, state, code_challenge: challenge, code_challenge_method: 'S256' }
  return { verifier, asked }
}
const codeIn = (location: string) => new URLSearchParams(new URL(location).hash.slice(1)).get('code') ?? ''

const redeem = async (hosts: Hosts, code: string, verifier: string) => {
  const { body } = await call(hosts.api, createSession, {}, { body: { code, code_verifier: verifier } })
  return body.session_token
}

/** From sign-up through the mail of the outbox to the token of a session, without a page. */
export const signUpOverHttp = async (hosts: Hosts, { name, email, password }: Person): Promise<string> => {
  const { verifier, asked } = round(hosts)
  const { get, submit } = visitor(hosts.signIn)
  await submit(`/signup?${new URLSearchParams(asked)}`, { ...asked, full_name: name, email })
  const mail = (await get('/outbox')).text.split('<li>').find((item) => item.includes(`to ${email} ·`)) ?? ''
  const [, link = ''] = /href="[^"]*(\/signup\/[^"?]+)/.exec(mail) ?? []
  const confirmed = await submit(`${link}?${new URLSearchParams(asked)}`, { ...asked, password })
  return redeem(hosts, codeIn(confirmed.location), verifier)
}

/** Signs in with a password up to the redirect to the console: the code in the fragment, and the matching verifier. */
export const signInOverHttp = async (hosts: Hosts, { email, password }: Person) => {
  const { verifier, asked } = round(hosts)
  const { location } = await visitor(hosts.signIn).submit(`/signin?${new URLSearchParams(asked)}`, { ...asked, email, password })
  return { code: codeIn(location), state, verifier, redeem: () => redeem(hosts, codeIn(location), verifier) }
}
