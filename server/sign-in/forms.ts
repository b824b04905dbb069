import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { is, optional, record, string } from 'superstruct'
import type { Config } from '../core/config'
import { refuse } from '../core/http/refuse'
import { originsOf } from '../core/http/origins'
import { createSecret } from '../core/tokens/token'
import { cookieOf, setCookie } from './cookies'

export type Fields = Readonly<Record<string, string | undefined>>

const Form = record(string(), optional(string()))

export const fieldsOf = (request: FastifyRequest): Fields => (is(request.body, Form) ? request.body : {})

const tokenOf = (cookie: string) => createHash('sha256').update(`form\0${cookie}`).digest('base64url')

/** The hidden CSRF field of a form, bound to a cookie that only this host can read. */
export const formToken = (request: FastifyRequest, reply: FastifyReply, config: Config): { csrf: string } => {
  const present = cookieOf(request, config, 'form')
  const cookie = present ?? createSecret()
  if (present === undefined) setCookie(reply, config, 'form', cookie)
  return { csrf: tokenOf(cookie) }
}

const equal = (a: string, b: string) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

const foreign = (): never => refuse(403, 'form_refused', { message: 'This form was sent from another site' })

/** T-14: refuses a post from another origin, or without the token of this browser. */
export const checkForm = (request: FastifyRequest, config: Config): Fields => {
  const { origin, 'sec-fetch-site': site } = request.headers
  if (site !== undefined && site !== 'same-origin') foreign()
  if (origin !== undefined && !originsOf(config, 'sign-in').has(origin)) foreign()
  const cookie = cookieOf(request, config, 'form')
  const fields = fieldsOf(request)
  if (cookie === undefined || !equal(fields.csrf ?? '', tokenOf(cookie)))
    refuse(403, 'form_refused', { message: 'This form has expired or cookies are disabled. Reload the page' })
  return fields
}
