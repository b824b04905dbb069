import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { keptAnswerBytes } from '../../../contract/accounts/webhooks'
import { sanitizeText } from '../../core/plain-text'
import { findReceiver, type ReceiverRules, type Resolve } from './addresses'

/** Of a delivery in all: resolving, connecting, sending and the answer. */
export const deliveryLimitMs = 15_000

type Attempt = { ok: boolean; status: number | null; error: string | null; durationMs: number; answer: string | null }
type Outgoing = { url: string; headers: Record<string, string>; body: string }
type Options = { rules: ReceiverRules; resolve?: Resolve | undefined; limitMs?: number | undefined }

const refusals = {
  private_address: 'The URL leads to a private address',
  unresolved: 'The host name has no address',
  insecure: 'The URL is not https',
} as const

const readStart = async (answer: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of answer as AsyncIterable<Buffer>) {
      parts.push(part)
      size += part.length
      if (size >= keptAnswerBytes) break
    }
  } catch {
    // What arrived before the connection ended is kept.
  }
  return sanitizeText(Buffer.concat(parts).subarray(0, keptAnswerBytes).toString('utf8'), keptAnswerBytes)
}

const describe = (error: unknown, limitMs: number): string => {
  if (!(error instanceof Error)) return 'No answer'
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return `No answer within ${limitMs / 1000} s`
  const { code } = error as NodeJS.ErrnoException
  const isNamed = code === undefined || error.message.includes(code)
  return sanitizeText(isNamed ? error.message : `${code}: ${error.message}`, 200)
}

/**
 * Sends one delivery: to an allowed address that is resolved once, without redirects and without a proxy. Never throws: what went
 * wrong is in the result.
 */
export const sendDelivery = async ({ url: text, headers, body }: Outgoing, options: Options): Promise<Attempt> => {
  const { rules, resolve, limitMs = deliveryLimitMs } = options
  const started = performance.now()
  const since = () => Math.round(performance.now() - started)
  const failed = (error: string): Attempt => ({ ok: false, status: null, error, durationMs: since(), answer: null })
  const signal = AbortSignal.timeout(limitMs)
  try {
    const url = new URL(text)
    const receiver = await findReceiver(url, rules, resolve)
    if (!receiver.ok) return failed(refusals[receiver.reason])
    const { address, family } = receiver.to
    const answer = await new Promise<IncomingMessage>((done, refuse) => {
      const begin = url.protocol === 'https:' ? requestHttps : requestHttp
      const sent = begin(url, {
        method: 'POST',
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        // Connections are not kept: the address of the next one is checked again.
        agent: false,
        signal,
        // The address that was checked, whatever the name leads to by now.
        lookup: (_host, { all }, found) => (all ? found(null, [{ address, family }]) : found(null, address, family)),
      })
      // Errors can follow an answer, and a connection can end without one and without an error.
      sent.on('response', done).on('error', refuse)
      sent.on('close', () => refuse(new Error('The connection ended without an answer')))
      sent.end(body)
    })
    // Ends an answer that has not ended within the limit; what arrived counts.
    answer.on('error', () => {})
    const { statusCode: status = 0 } = answer
    const start = await readStart(answer)
    answer.destroy()
    const isRedirect = status >= 300 && status < 400
    const error = isRedirect ? 'Redirects are not followed' : null
    return { ok: status >= 200 && status < 300, status, error, durationMs: since(), answer: start }
  } catch (error) {
    return failed(describe(error, limitMs))
  }
}
