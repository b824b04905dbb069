import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { titles } from '../../contract/core/errors'
import { messages } from '../../contract/core/error-messages'
import type { Deps } from '../core/deps'
import { rethrowAsRefusal } from '../core/http/database-errors'
import { Refusal } from '../core/http/refuse'
import { show } from './host'
import { html } from '../core/html'
import { refusedPage } from './identity/pages'
import { IdentityRefusal } from './identity/refusals'

const minutes = (seconds: number) => (seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`)

const refusalOf = (error: FastifyError): Refusal => {
  if (error instanceof Refusal) return error
  if ((error.statusCode ?? 500) < 500) return new Refusal(400, 'malformed', {})
  try {
    return rethrowAsRefusal(new Map(), error)
  } catch (thrown) {
    return thrown instanceof Refusal ? thrown : new Refusal(500, 'internal', { message: messages.internal })
  }
}

const sentence = ({ status, message, facts }: Refusal) =>
  status === 429
    ? `Wait ${minutes(facts.retryAfterS ?? 60)} and try again`
    : message === titles.notFound
      ? 'This page does not exist'
      : message

const headings: Partial<Record<number, string>> = {
  404: titles.notFound,
  429: 'Too many attempts',
  500: titles.other,
  503: titles.other,
}

const identityFailure = (deps: Deps, error: IdentityRefusal, request: FastifyRequest, reply: FastifyReply): void => {
  const { code, asked } = error
  const { identityProvider, passwordSignIn } = deps.config
  request.log.warn({ request_id: request.id, code, reason: error.message }, 'a sign-in with the identity provider was refused')
  const facts = { code, asked, name: identityProvider?.name ?? '', requestId: request.id, password: passwordSignIn }
  const status = code === 'provider_unavailable' ? 503 : 403
  void show(reply, deps, { title: 'Sign in', status, main: refusedPage(facts) })
}

/** An HTML page for every refusal: what it means, what to do, the request id. Other details of an error are not sent (T-24). */
export const failurePage =
  (deps: Deps) =>
  (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    if (error instanceof IdentityRefusal) return identityFailure(deps, error, request, reply)
    const refusal = refusalOf(error)
    if (refusal.status >= 500) request.log.error({ err: error, request_id: request.id }, 'a request failed')
    if (refusal.facts.retryAfterS !== undefined) reply.header('Retry-After', refusal.facts.retryAfterS)
    const heading = headings[refusal.status] ?? 'Something went wrong'
    const main = html`<h1>${heading}</h1>
      ${sentence(refusal) !== heading && html`<p>${sentence(refusal)}.</p>`}
      <p class="after"><a href="/signin">Go to sign in</a></p>
      <p class="hint">Request <code>${request.id}</code></p>`
    void show(reply, deps, { title: heading, status: refusal.status, main })
  }
